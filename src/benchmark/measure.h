#pragma once

#include <map>
#include <vector>

namespace softalign {

// Repeated measurements of the same quantity.
class Samples {
public:
    void add(double value) { values_.push_back(value); }

    // In the order in which they were measured.
    const std::vector<double>& values() const { return values_; }

    // The median of an even number is the mean of the middle two. All three REQUIRE at least one value.
    double median() const;
    double lowest() const;
    double highest() const;

private:
    std::vector<double> values_;
};

// The machine's peak speed: GFLOP/s of float32 products of 1024^3, on one thread and on several at once, measured
// repeatedly, in between the measurements that it is compared with.
class Peaks {
public:
    // Measures nothing.
    Peaks() = default;
    // threads: the numbers of threads to measure; 1 is always included.
    explicit Peaks(const std::vector<int>& threads);

    // Measures once with each number of threads, a fraction of a second each.
    void measure();

    // By number of threads: the sum over the threads of the speed that each reached while all ran.
    const std::map<int, Samples>& gflops() const { return gflops_; }

    // The highest so far. REQUIRES: the number was given, and measured.
    double highest(int threads) const { return gflops_.at(threads).highest(); }

    static constexpr int size = 1024;

private:
    std::map<int, Samples> gflops_;
};

}  // namespace softalign

#pragma once

#include <map>
#include <vector>

#include "benchmark/samples.h"

namespace softalign {

// What the machine can do: GFLOP/s of float32 products of 1024^3, one thread by itself and several at once, measured
// again and again between what it is compared with.
class Peaks {
public:
    // The numbers of threads; 1 is always among them.
    explicit Peaks(const std::vector<int>& threads);

    // Measures each number once, a fraction of a second each.
    void measure();

    // By the number of threads: the sum over the threads of what each reached while all ran.
    const std::map<int, Samples>& gflops() const { return gflops_; }

    // The highest so far. REQUIRES: the number was given, and measured.
    double highest(int threads) const { return gflops_.at(threads).highest(); }

    static constexpr int size = 1024;

private:
    std::map<int, Samples> gflops_;
};

}  // namespace softalign

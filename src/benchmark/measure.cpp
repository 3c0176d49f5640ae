#include "benchmark/measure.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "platform/blas.h"
#include "platform/worker_pool.h"

namespace softalign {

double Samples::median() const {
    std::vector<double> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2.0;
}

double Samples::lowest() const {
    return *std::min_element(values_.begin(), values_.end());
}

double Samples::highest() const {
    return *std::max_element(values_.begin(), values_.end());
}

namespace {

// A task waits for the others, so that each thread takes one and all multiply at the same time.
double measure_at_once(int threads) {
    WorkerPool pool(threads);
    std::vector<double> reached(static_cast<std::size_t>(threads));
    std::atomic<int> ready{0};
    pool.run(threads, [&](std::int64_t index, int) {
        for (++ready; ready < threads;) {
        }
        reached[static_cast<std::size_t>(index)] = measure_sgemm(Peaks::size);
    });
    return std::accumulate(reached.begin(), reached.end(), 0.0);
}

}  // namespace

Peaks::Peaks(const std::vector<int>& threads) {
    gflops_[1];
    for (const int count : threads) {
        gflops_[count];
    }
}

void Peaks::measure() {
    for (auto& [threads, samples] : gflops_) {
        samples.add(measure_at_once(threads));
    }
}

}  // namespace softalign

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace softalign {

// What a server has done since it started, for Prometheus.
class ServerStatistics {
public:
    // A response. `path`: one of a few that the server has, so that clients cannot add any.
    void count_response(const std::string& path, int status, double seconds);
    // Of a request that waits from now on.
    void count_accepted(std::size_t sentences);
    // Of a request that has its translations.
    void count_translated(std::size_t sentences, std::size_t bytes);
    void count_batch(std::size_t sentences);
    void count_reload(bool worked);

    // In the text format of Prometheus, version 0.0.4. `waiting`: sentences in the queue.
    std::string text(std::size_t waiting) const;

private:
    // Upper bounds, and how many were at most so much but more than the bound before; the last has no bound.
    template <std::size_t N>
    struct Histogram {
        std::array<double, N> bounds;
        std::array<std::uint64_t, N + 1> counts{};
        double sum = 0.0;

        void add(double value);
        std::string text(const std::string& name) const;
    };

    mutable std::mutex mutex_;
    std::map<std::pair<std::string, int>, std::uint64_t> responses_;
    std::uint64_t accepted_ = 0;
    std::uint64_t sentences_ = 0;
    std::uint64_t bytes_ = 0;
    std::map<bool, std::uint64_t> reloads_{{false, 0}, {true, 0}};
    Histogram<12> seconds_{{0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0}};
    Histogram<7> batches_{{1, 2, 4, 8, 16, 32, 64}};
};

}  // namespace softalign

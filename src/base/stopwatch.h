#pragma once

#include <chrono>
#include <utility>

namespace softalign {

// Wall-clock time in seconds.
class Stopwatch {
public:
    // Seconds since construction or the last lap().
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

    // The same; restarts the clock.
    double lap() {
        const auto now = Clock::now();
        return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
    }

private:
    using Clock = std::chrono::steady_clock;

    Clock::time_point start_ = Clock::now();
};

}  // namespace softalign

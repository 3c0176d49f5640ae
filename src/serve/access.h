#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace softalign {

// Who may ask, and how often.
class Access {
public:
    // `keys_file`: a key on each line, what follows after white space is a remark, as are lines that start with #;
    // empty: nobody needs a key. `per_minute`: requests of one key, or without a right key of one address; 0: any
    // number. Throws Error(data) if the file cannot be read or has no key.
    Access(std::string keys_file, std::size_t per_minute);

    bool needs_key() const { return !keys_file_.empty(); }
    bool knows(const std::string& key) const;

    // Counts a request. Returns the seconds to wait if there were too many before it.
    std::optional<std::size_t> count(const std::string& who);

    // Reads the file again. Throws like the constructor; the keys then stay as they were.
    void reload();

private:
    using Clock = std::chrono::steady_clock;

    // A bucket that fills at the rate allowed; each request takes one out.
    struct Allowance {
        double left = 0.0;
        Clock::time_point at;
    };

    void forget_the_idle(Clock::time_point now);

    const std::string keys_file_;
    const double per_second_;
    const double most_;
    mutable std::mutex mutex_;
    std::vector<std::string> keys_;
    std::map<std::string, Allowance> allowances_;
};

}  // namespace softalign

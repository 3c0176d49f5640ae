#include "serve/access.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "text/line_reader.h"

namespace softalign {

namespace {

std::vector<std::string> read_keys(const std::string& path) {
    std::vector<std::string> keys;
    if (path.empty()) {
        return keys;
    }
    std::ifstream file(path);
    if (!file) {
        throw Error(ExitCode::data, "--api-keys " + path + ": cannot be read (" + std::strerror(errno) + ")");
    }
    for (std::string line; std::getline(file, line);) {
        const bool has_mark = keys.empty() && starts_with(line, byte_order_mark);
        std::istringstream words(has_mark ? line.substr(byte_order_mark.size()) : line);
        std::string key;
        if (words >> key && key.front() != '#') {
            keys.push_back(key);
        }
    }
    if (keys.empty()) {
        throw Error(ExitCode::data, "--api-keys " + path + ": it has no key; write one on each line");
    }
    return keys;
}

// In a time that does not tell how many characters agree.
bool is_same(const std::string& key, const std::string& given) {
    unsigned difference = key.size() == given.size() ? 0U : 1U;
    for (std::size_t i = 0; i < given.size(); ++i) {
        difference |= static_cast<unsigned char>(key[i % key.size()]) ^ static_cast<unsigned char>(given[i]);
    }
    return difference == 0;
}

}  // namespace

Access::Access(std::string keys_file, std::size_t per_minute)
    : keys_file_(std::move(keys_file)),
      per_second_(static_cast<double>(per_minute) / 60.0),
      most_(static_cast<double>(per_minute)),
      keys_(read_keys(keys_file_)) {}

bool Access::knows(const std::string& key) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    bool known = false;
    for (const std::string& one : keys_) {
        known = is_same(one, key) || known;
    }
    return known;
}

std::optional<std::size_t> Access::count(const std::string& who) {
    if (most_ == 0.0) {
        return std::nullopt;
    }
    const Clock::time_point now = Clock::now();
    const std::lock_guard<std::mutex> lock(mutex_);
    constexpr std::size_t many = 10000;
    if (allowances_.size() >= many) {
        forget_the_idle(now);
    }
    Allowance& allowance = allowances_.try_emplace(who, Allowance{most_, now}).first->second;
    const double since = std::chrono::duration<double>(now - allowance.at).count();
    allowance.left = std::min(most_, allowance.left + since * per_second_);
    allowance.at = now;
    if (allowance.left < 1.0) {
        return static_cast<std::size_t>(std::ceil((1.0 - allowance.left) / per_second_));
    }
    allowance.left -= 1.0;
    return std::nullopt;
}

// Whose bucket is full again is as one who never asked.
void Access::forget_the_idle(Clock::time_point now) {
    for (auto it = allowances_.begin(); it != allowances_.end();) {
        const bool idle = now - it->second.at >= std::chrono::minutes(1);
        it = idle ? allowances_.erase(it) : std::next(it);
    }
}

void Access::reload() {
    std::vector<std::string> keys = read_keys(keys_file_);
    const std::lock_guard<std::mutex> lock(mutex_);
    keys_.swap(keys);
}

}  // namespace softalign

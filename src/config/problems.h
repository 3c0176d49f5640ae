#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace softalign {

// The errors in a configuration, collected so that the user sees all of them at once.
class Problems {
public:
    // "PLACE: WHAT"
    void add(const std::string& place, const std::string& what);

    // Whether there are enough errors to report: the search for more may stop.
    bool full() const { return lines_.size() >= most; }

    // Throws Error(configuration) with one line a fault; does nothing where there is none.
    void throw_if_any() const;

private:
    static constexpr std::size_t most = 20;

    std::vector<std::string> lines_;
};

}  // namespace softalign

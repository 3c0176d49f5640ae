#pragma once

#include <string>
#include <vector>

namespace softalign {

// Faults of a configuration, collected so that a person sees all of them at once.
class Problems {
public:
    // "PLACE: WHAT"
    void add(const std::string& place, const std::string& what);

    bool empty() const { return lines_.empty(); }

    // Throws Error(configuration) with one line a fault, at most 20 of them; does nothing where there is none.
    void throw_if_any() const;

private:
    std::vector<std::string> lines_;
};

}  // namespace softalign

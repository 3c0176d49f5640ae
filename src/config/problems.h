#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace softalign {

// Insertions, deletions, substitutions and swaps of neighbours that turn one into the other (optimal string
// alignment). Upper and lower case, and '-' and '_', are the same.
std::size_t edit_distance(const std::string& a, const std::string& b);

// The candidate nearest to `name`, the first of equals; nullopt if none is a plausible misspelling.
std::optional<std::string> nearest(const std::string& name, const std::vector<std::string>& candidates);

// What to say of `name`, which is no key of `section`: the key that was probably meant, here or elsewhere, or else what
// is allowed here.
std::string describe_unknown_key(const std::string& section, const std::string& name);

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

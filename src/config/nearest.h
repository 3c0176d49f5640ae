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

// "a, b, c"
std::string join(const std::vector<std::string>& items, const std::string& separator = ", ");

}  // namespace softalign

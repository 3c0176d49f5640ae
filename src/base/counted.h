#pragma once

#include <string>
#include <string_view>

namespace softalign {

// "1 line", "2 lines": a whole number and what it counts, whose plural ends in s.
template <typename Count>
std::string counted(Count count, std::string_view what) {
    return std::to_string(count).append(" ").append(what).append(count == 1 ? "" : "s");
}

}  // namespace softalign

#pragma once

#include <cstddef>
#include <string_view>

namespace softalign {

// The length of the tag, comment or declaration that a parser would see at the start of a text; 0 where there is none.
std::size_t markup_length(std::string_view text);

// How deeply the elements of a document are nested at most, by its tags alone: those that need no closing tag do not
// count. Where tags are not closed, a parser may find less. In linear time.
std::size_t nesting_depth(std::string_view html);

}  // namespace softalign

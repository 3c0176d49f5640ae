#pragma once

#include <cstddef>
#include <string_view>

namespace softalign {

// The length of the tag, comment or declaration that a parser would see at the start of a text; 0 where there is none.
std::size_t markup_length(std::string_view text);

// What a parser will need time for, by the tags of a document alone; found in linear time.
struct HtmlExtent {
    // How deeply elements are nested at most; those that need no closing tag do not count. Where tags are not closed, a
    // parser may find less.
    std::size_t depth = 0;
    std::size_t attributes = 0;  // of a tag, at most, or more where there are spaces around =
};
HtmlExtent extent_of(std::string_view html);

}  // namespace softalign

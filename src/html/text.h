#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace softalign {

// Any bytes as text of an HTML element or of a quoted attribute: markup is escaped, bytes that are not UTF-8 become
// U+FFFD, control characters the pictures that Unicode has for them, and the controls that override the direction of
// text their code, such as "[U+202E]". Line feeds and tabs stay.
std::string html_text(std::string_view text);

// JSON text for a <script type="application/json">: nothing in it can end the element.
std::string script_json(std::string_view json);

// Columns that a text takes where a letter takes one: two for East Asian characters and pictures, none for marks that
// stand on others. An estimate. Bytes that are not UTF-8 take one.
std::size_t display_width(std::string_view text);

// `text`, or its beginning and an ellipsis, in at most `width` columns; never less than a character. A mark is not torn
// off its letter.
std::string shortened(std::string_view text, std::size_t width);

}  // namespace softalign

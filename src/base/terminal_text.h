#pragma once

#include <string>
#include <string_view>

namespace softalign {

// `text` as a terminal can show it without obeying it: names of files, lines of data and values of options are part of
// messages. Bytes that are not UTF-8 and control characters, except line feeds and tabs, are spelled \x1B; characters
// that change the direction of the text, and line separators, are spelled \u202E.
std::string terminal_text(std::string_view text);

}  // namespace softalign

#pragma once

#include <string>

namespace softalign {

// Quotes `text` as one word of a POSIX shell command, with single quotes only if needed. For commands shown to the
// user.
std::string shell_word(const std::string& text);

}  // namespace softalign

#pragma once

#include <string>

namespace softalign {

// `text` as one word of a POSIX shell's command line: itself where nothing in it has a meaning there, else in single
// quotes. For commands that a person is told to run.
std::string shell_word(const std::string& text);

}  // namespace softalign

#include "base/shell.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace softalign {

namespace {

bool is_plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string("_-./:=@%+,").find(c) != std::string::npos;
}

}  // namespace

std::string shell_word(const std::string& text) {
    if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) {
        return text;
    }
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + "'";
}

}  // namespace softalign

#pragma once

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace softalign {

bool starts_with(std::string_view text, std::string_view start);
bool ends_with(std::string_view text, std::string_view end);

// "a, b, c"
std::string join(const std::vector<std::string>& items, std::string_view separator = ", ");

// From the left, and not in what has been put in. REQUIRES: `from` is not empty.
void replace_all(std::string& text, std::string_view from, std::string_view to);

// Whether a text is one ASCII digit or more, and nothing else.
bool is_digits(std::string_view text);

// Whether the whole text is a number of this type, which becomes `value`, whatever the locale. A plus sign and white
// space are no part of a number. Where it is none, `value` means nothing.
template <typename Number>
bool read_number(std::string_view text, Number& value) {
    const char* const last = text.data() + text.size();
    const auto [end, fault] = std::from_chars(text.data(), last, value);
    return fault == std::errc() && end == last;
}

// Whether a byte is a later one of a character in UTF-8.
constexpr bool is_utf8_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The length in bytes, 1 to 4, of the well-formed sequence that `text` starts with; 0 if there is none (Unicode 15,
// table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF). REQUIRES: text is not empty.
std::size_t utf8_sequence_length(std::string_view text);

// The 1-based byte column of the first byte that is not part of well-formed UTF-8, or 0 if there is none.
std::size_t first_invalid_utf8(std::string_view text);

// With U+FFFD in place of each run of bytes that are not part of well-formed UTF-8.
std::string as_utf8(std::string text);

// With the letters A to Z in lower case; all else stays.
constexpr char lower_ascii(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string lower_ascii(std::string_view text);

// JSON (nlohmann's) as text. Strings may hold any bytes, such as names of files: what is not UTF-8 becomes U+FFFD.
// `indent` below 0: on one line.
template <typename Json>
std::string json_text(const Json& json, int indent = -1) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// `text` as a terminal can show it without obeying it: names of files, lines of data and values of options are part of
// messages. Bytes that are not UTF-8 and control characters, except line feeds and tabs, are spelled \x1B; characters
// that change the direction of the text, and line separators, are spelled \u202E.
std::string terminal_text(std::string_view text);

// At most 100 bytes of a text and the rest of a character, for messages: as a terminal can show it.
std::string beginning_of(std::string_view text);

// Quotes `text` as one word of a POSIX shell command, with single quotes only if needed. For commands shown to the
// user.
std::string shell_word(const std::string& text);

}  // namespace softalign

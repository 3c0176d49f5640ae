#include "text/placeholder_pieces.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "text/words.h"

namespace softalign {

namespace {

constexpr std::string_view opening = "\xE2\xA6\x83";  // U+2983
constexpr std::string_view closing = "\xE2\xA6\x84";  // U+2984
constexpr std::size_t letters = 26;

}  // namespace

std::string placeholder(std::size_t number) {
    std::string name(1, static_cast<char>('a' + number % letters));
    if (number >= letters) {
        name.insert(name.begin(), static_cast<char>('a' + (number / letters - 1) % letters));
    }
    return std::string(opening) + name + std::string(closing);
}

std::vector<std::string> placeholders(std::size_t count) {
    std::vector<std::string> all;
    for (std::size_t number = 0; number < count; ++number) {
        all.push_back(placeholder(number));
    }
    return all;
}

std::vector<std::int32_t> placeholder_ids(const Tokenizer& tokenizer) {
    std::vector<std::int32_t> all;
    for (bool is_known = true; is_known && all.size() < letters * (letters + 1);) {
        const std::string text = placeholder(all.size());
        is_known = false;
        for (const std::int32_t id : tokenizer.encode(text)) {
            const std::string piece = tokenizer.piece(id);
            if (!is_known && (piece == text || piece == std::string(space_symbol) + text)) {
                all.push_back(id);
                is_known = true;
            }
        }
    }
    return all;
}

std::size_t placeholder_size(std::string_view text) {
    if (!starts_with(text, opening)) {
        return 0;
    }
    std::size_t end = opening.size();
    while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') {
        ++end;
    }
    return end > opening.size() && text.substr(end, closing.size()) == closing ? end + closing.size() : 0;
}

std::size_t find_placeholder(std::string_view text, std::size_t from) {
    std::size_t at = text.find(opening, from);
    while (at != std::string_view::npos && placeholder_size(text.substr(at)) == 0) {
        at = text.find(opening, at + 1);
    }
    return at;
}

std::size_t placeholder_number(std::string_view text) {
    const std::string_view name = text.substr(opening.size(), text.size() - opening.size() - closing.size());
    const auto letter = [&](std::size_t at) { return static_cast<std::size_t>(name[at] - 'a'); };
    return name.size() == 1   ? letter(0)
           : name.size() == 2 ? letters * (letter(0) + 1) + letter(1)
                              : letters * (letters + 1);
}

}  // namespace softalign

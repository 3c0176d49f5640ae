#include "document/clauses.h"

#include <unicode/uchar.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "document/characters.h"
#include "document/sentences.h"

namespace softalign {

namespace {

// U+2013, U+2014, U+3001, U+FF0C, U+FF1B, U+FF1A, U+3002, U+FF01, U+FF1F and U+2026: with the spaces around them.
constexpr std::array<std::string_view, 10> wide_marks{"\xE2\x80\x93", "\xE2\x80\x94", "\xE3\x80\x81", "\xEF\xBC\x8C",
                                                      "\xEF\xBC\x9B", "\xEF\xBC\x9A", "\xE3\x80\x82", "\xEF\xBC\x81",
                                                      "\xEF\xBC\x9F", "\xE2\x80\xA6"};

bool ends_clause(std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, at);
    const bool spaced = at < text.size() && text[at] == ' ';
    if (spaced && std::string_view(",;:)].!?-").find(before.back()) != std::string_view::npos) {
        return true;
    }
    return ends_with_one(wide_marks, before);
}

bool is_space_at(std::string_view text, std::size_t at) {
    return u_isUWhiteSpace(character_at(text, at));
}

// The place inside the range nearest to its middle that fulfils a condition, no further from it than `most`; 0 if there
// is none. Places are between characters.
std::size_t nearest(std::string_view text, TextRange range, std::size_t most,
                    const std::function<bool(std::size_t)>& fits) {
    const std::size_t middle = range.begin + range.size() / 2;
    for (std::size_t distance = 0; distance <= most; ++distance) {
        for (const std::size_t at : {middle - distance, middle + distance}) {
            const bool inside = at > range.begin && at < range.end;
            if (inside && !is_utf8_continuation(text[at]) && fits(at)) {
                return at;
            }
        }
    }
    return 0;
}

void cut(std::string_view text, TextRange range, std::size_t most,
         const std::function<std::size_t(std::string_view)>& count, std::vector<TextRange>& parts) {
    std::size_t at = 0;
    if (count(range.of(text)) > most) {
        const std::size_t half = range.size() / 2;
        at = nearest(text, range, range.size() / 4, [&](std::size_t place) { return ends_clause(text, place); });
        at = at != 0 ? at : nearest(text, range, half, [&](std::size_t place) { return is_space_at(text, place); });
        at = at != 0 ? at : nearest(text, range, half, [](std::size_t) { return true; });
    }
    if (at == 0) {
        parts.push_back(range);
        return;
    }
    for (const TextRange half : {TextRange{range.begin, at}, TextRange{at, range.end}}) {
        const TextRange part = trimmed(text, half);
        if (part.size() > 0) {
            cut(text, part, most, count, parts);
        }
    }
}

}  // namespace

std::vector<TextRange> cut_at_clauses(std::string_view text, TextRange sentence, std::size_t most,
                                      const std::function<std::size_t(std::string_view)>& count) {
    std::vector<TextRange> parts;
    cut(text, sentence, most, count, parts);
    return parts;
}

}  // namespace softalign

#include "document/kept_spans.h"

#include <unicode/bytestream.h>
#include <unicode/locid.h>
#include <unicode/regex.h>
#include <unicode/stringpiece.h>
#include <unicode/unistr.h>
#include <unicode/utext.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace softalign {

namespace {

using Pattern = std::unique_ptr<icu::RegexPattern>;

const char* const common_patterns[] = {
    // URLs, without the punctuation behind them.
    R"((?:(?:https?|ftp)://|www\.)[^\s<>"]*[^\s<>"'.,;:!?)\]}])",
    R"([\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,})",
    // Placeholders of templates and of printf, the latter not behind a number, as in "5 %".
    R"(\{\{[^{}]*\}\}|\$\{[^{}]*\}|%\{[^{}]*\}|\{[\p{L}\p{N}_.:-]*\}|%\([^()\s]*\)[a-zA-Z])",
    R"((?<![\p{N}%])%(?:\d+\$)?[-+#0]*\d*(?:\.\d+)?(?:hh|h|ll|l|z|j|t|L)?[diouxXeEfgGaAcsSpn@](?!\p{L}))",
    R"((?:\p{RI}\p{RI}|[\p{Extended_Pictographic}\p{Emoji_Presentation}](?:[\uFE0F\u20E3]|\p{Emoji_Modifier}|\u200D\p{Extended_Pictographic})*))",
};

Pattern compiled(const std::string& text) {
    UParseError place{};
    UErrorCode status = U_ZERO_ERROR;
    Pattern pattern(icu::RegexPattern::compile(icu::UnicodeString::fromUTF8(text), 0, place, status));
    if (U_FAILURE(status)) {
        throw Error(ExitCode::usage, "'" + text + "' is not a regular expression of ICU (character " +
                                         std::to_string(std::max(place.offset, 0) + 1) + ": " + u_errorName(status) +
                                         ")");
    }
    return pattern;
}

// Appends the matches that overlap none that is there.
void add_matches(const icu::RegexPattern& pattern, std::string_view text, std::vector<TextRange>& found) {
    UErrorCode status = U_ZERO_ERROR;
    UText view = UTEXT_INITIALIZER;
    utext_openUTF8(&view, text.data(), static_cast<std::int64_t>(text.size()), &status);
    const std::unique_ptr<icu::RegexMatcher> matcher(pattern.matcher(status));
    if (U_SUCCESS(status)) {
        matcher->setTimeLimit(1000, status);
        matcher->reset(&view);
    }
    while (U_SUCCESS(status) && matcher->find(status)) {
        const TextRange match{static_cast<std::size_t>(matcher->start64(status)),
                              static_cast<std::size_t>(matcher->end64(status))};
        const bool overlaps = std::any_of(found.begin(), found.end(), [&](const TextRange& other) {
            return match.begin < other.end && other.begin < match.end;
        });
        if (match.size() > 0 && !overlaps) {
            found.push_back(match);
        }
    }
    utext_close(&view);
    if (U_FAILURE(status)) {
        std::string spelled;
        throw Error(ExitCode::data, "the pattern '" + pattern.pattern().toUTF8String(spelled) +
                                        "' cannot be sought in a text: " + u_errorName(status));
    }
}

std::vector<TextRange> in_order(std::vector<TextRange> ranges) {
    std::sort(ranges.begin(), ranges.end(), [](TextRange a, TextRange b) { return a.begin < b.begin; });
    return ranges;
}

}  // namespace

struct SpanFinder::Patterns {
    std::vector<Pattern> all;
};

SpanFinder::SpanFinder(bool common, const std::vector<std::string>& patterns)
    : patterns_(std::make_unique<Patterns>()) {
    for (const std::string& pattern : patterns) {
        patterns_->all.push_back(compiled(pattern));
    }
    for (const char* const pattern : common_patterns) {
        if (common) {
            patterns_->all.push_back(compiled(pattern));
        }
    }
}

SpanFinder::~SpanFinder() = default;
SpanFinder::SpanFinder(SpanFinder&&) noexcept = default;

std::vector<TextRange> SpanFinder::find(std::string_view text) const {
    std::vector<TextRange> found;
    for (const Pattern& pattern : patterns_->all) {
        add_matches(*pattern, text, found);
    }
    return in_order(std::move(found));
}

std::vector<TextRange> numbers_of(std::string_view text) {
    static const Pattern pattern =
        compiled(R"((?<![\p{L}\p{N}])(?<!\p{N}[.,:/])\p{Nd}+(?:[.,:/-]\p{Nd}+)*(?![\p{L}\p{N}]))");
    std::vector<TextRange> found;
    add_matches(*pattern, text, found);
    return found;
}

std::string lower_cased(std::string_view text) {
    std::string result;
    icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())))
        .toLower(icu::Locale::getRoot())
        .toUTF8String(result);
    return result;
}

MarkedText with_spans(const MarkedText& text, const std::vector<TextRange>& spans) {
    const auto has_inside = [](TextRange span, std::size_t place) { return span.begin < place && place < span.end; };
    MarkedText result = text;
    for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
        const bool crosses = std::any_of(text.marks.begin(), text.marks.end(), [&](const TagPair& mark) {
            return has_inside(*span, mark.range.begin) || has_inside(*span, mark.range.end);
        });
        const bool has_atom = std::any_of(text.atoms.begin(), text.atoms.end(), [&](const Atom& atom) {
            return atom.range.begin < span->end && span->begin < atom.range.end;
        });
        if (crosses || has_atom) {
            continue;
        }
        // From the last to the first, so that only what is behind the span moves.
        const auto moved = [&](std::size_t place) {
            return place < span->end ? place : place - span->size() + object_mark.size();
        };
        for (TagPair& mark : result.marks) {
            mark.range = {moved(mark.range.begin), moved(mark.range.end)};
        }
        for (Atom& atom : result.atoms) {
            atom.range = {moved(atom.range.begin), moved(atom.range.end)};
        }
        const Atom atom{
            {span->begin, span->begin + object_mark.size()}, encoded(span->of(text.text), text.markup), false};
        result.text.replace(span->begin, span->size(), object_mark);
        const auto place = std::find_if(result.atoms.begin(), result.atoms.end(),
                                        [&](const Atom& other) { return other.range.begin > span->begin; });
        result.atoms.insert(place, atom);
    }
    return result;
}

}  // namespace softalign

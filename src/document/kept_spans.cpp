#include "document/kept_spans.h"

#include <unicode/bytestream.h>
#include <unicode/locid.h>
#include <unicode/regex.h>
#include <unicode/stringpiece.h>
#include <unicode/unistr.h>
#include <unicode/utext.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "document/icu_status.h"
#include "document/moved_places.h"
#include "document/span_patterns.h"

namespace softalign {

namespace {

using Pattern = std::unique_ptr<icu::RegexPattern>;

Pattern compiled(const std::string& text) {
    UParseError place{};
    UErrorCode status = U_ZERO_ERROR;
    Pattern pattern(icu::RegexPattern::compile(icu::UnicodeString::fromUTF8(text), 0, place, status));
    require_icu_memory(status);
    if (U_FAILURE(status)) {
        throw Error(ExitCode::usage, "--keep: '" + text + "' is not a regular expression of ICU (character " +
                                         std::to_string(std::max(place.offset, 0) + 1) + ": " + u_errorName(status) +
                                         ")");
    }
    return pattern;
}

// In order and without overlaps.
std::vector<TextRange> matches_of(const icu::RegexPattern& pattern, std::string_view text) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::LocalUTextPointer view(
        utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status));
    const std::unique_ptr<icu::RegexMatcher> matcher(pattern.matcher(status));
    if (U_SUCCESS(status)) {
        // For as long a text as there may be: a match of a number takes 16 bytes of stack for each digit. A unit of
        // time is 10 000 steps, of which a short match takes hundreds; all matches count. ICU takes no limit of the
        // stack beyond 2^30.
        constexpr std::size_t most_thousands = 16000;
        constexpr std::size_t most_time = std::numeric_limits<std::int32_t>::max() / 2;
        const auto thousands = static_cast<std::int32_t>(std::min(text.size() / 1000, most_thousands));
        matcher->setTimeLimit(1000 + static_cast<std::int32_t>(std::min(text.size() / 20, most_time)), status);
        matcher->setStackLimit(8000000 + 64000 * thousands, status);
        matcher->reset(view.getAlias());
    }
    std::vector<TextRange> found;
    while (U_SUCCESS(status) && matcher->find(status)) {
        const TextRange match{static_cast<std::size_t>(matcher->start64(status)),
                              static_cast<std::size_t>(matcher->end64(status))};
        if (match.size() > 0) {
            found.push_back(match);
        }
    }
    require_icu_memory(status);
    if (U_FAILURE(status)) {
        std::string spelled;
        throw Error(ExitCode::data, "the pattern '" + pattern.pattern().toUTF8String(spelled) +
                                        "' cannot be sought in the text '" + beginning_of(text) + "' (" +
                                        u_errorName(status) + "); give one that has fewer ways to match it");
    }
    return found;
}

std::vector<TextRange> escapes_of(std::string_view text) {
    static const Pattern pattern = compiled(escape_pattern());
    return text.find('\\') == std::string_view::npos ? std::vector<TextRange>() : matches_of(*pattern, text);
}

// With blanks for the escapes, which are white space to all beside them, as in "\nwww.example.org" and "\n-5".
std::string with_blanks_for(const std::vector<TextRange>& escapes, std::string_view text) {
    std::string result(text);
    for (const TextRange& escape : escapes) {
        result.replace(escape.begin, escape.size(), escape.size(), ' ');
    }
    return result;
}

}  // namespace

struct SpanFinder::Patterns {
    std::vector<Pattern> all;
    std::size_t given = 0;  // the first of them
};

SpanFinder::SpanFinder(bool common, const std::vector<std::string>& patterns)
    : patterns_(std::make_unique<Patterns>()) {
    for (const std::string& pattern : patterns) {
        patterns_->all.push_back(compiled(pattern));
    }
    for (const std::string& pattern : common ? common_span_patterns() : std::vector<std::string>()) {
        patterns_->all.push_back(compiled(pattern));
    }
    patterns_->given = patterns.size();
}

bool is_escape(std::string_view span) {
    return span == R"(\n)" || span == R"(\r)" || span == R"(\t)";
}

SpanFinder::~SpanFinder() = default;
SpanFinder::SpanFinder(SpanFinder&&) noexcept = default;

namespace {

// A URL with the brackets behind it that it opens itself, as in "/Foo_(bar)".
TextRange with_brackets(std::string_view text, TextRange span) {
    struct Open {
        char closing;
        std::ptrdiff_t count;
    };
    const auto open = [part = span.of(text)](char opening, char closing) {
        return Open{closing,
                    std::count(part.begin(), part.end(), opening) - std::count(part.begin(), part.end(), closing)};
    };
    std::array<Open, 3> brackets{open('(', ')'), open('[', ']'), open('{', '}')};
    const auto closes_one = [&brackets](char c) {
        return std::any_of(brackets.begin(), brackets.end(),
                           [c](Open& one) { return one.closing == c && one.count-- > 0; });
    };
    while (span.end < text.size() && closes_one(text[span.end])) {
        ++span.end;
    }
    return span;
}

// A URL or an e-mail address without the underscores around it, as Markdown has: they may be a part of either, but not
// as many on the other side.
TextRange without_emphasis(std::string_view text, TextRange span) {
    const auto is_underscore = [text](std::size_t at) { return at < text.size() && text[at] == '_'; };
    for (std::size_t out = 1; is_underscore(span.begin - out) && is_underscore(span.end - 1); ++out) {
        --span.end;
    }
    for (std::size_t out = 0; is_underscore(span.end + out) && is_underscore(span.begin); ++out) {
        ++span.begin;
    }
    return span;
}

// With the escapes right behind spans, whatever follows: "%s\nis". Not in paths, such as "\%s\new".
std::vector<TextRange> with_escapes_behind(std::string_view text, std::vector<TextRange> spans) {
    constexpr std::size_t size = 2;
    std::vector<TextRange> escapes;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const bool is_in_path = spans[i].begin > 0 && text[spans[i].begin - 1] == '\\';
        const std::size_t next = i + 1 < spans.size() ? spans[i + 1].begin : text.size();
        for (std::size_t at = spans[i].end; !is_in_path && at < next && is_escape(text.substr(at, size)); at += size) {
            escapes.push_back({at, at + size});
        }
    }
    add_apart(spans, escapes);
    return spans;
}

// Removes those that are parts of another one, unless that cuts one.
void remove_parts(std::vector<TextRange>& spans, const std::vector<TextRange>& others) {
    std::vector<TextRange> kept;
    auto span = spans.begin();
    for (const TextRange& other : others) {
        const auto begin = std::find_if(span, spans.end(), [other](TextRange one) { return one.end > other.begin; });
        const auto end = std::find_if(begin, spans.end(), [other](TextRange one) { return one.begin >= other.end; });
        const auto is_part = [other](TextRange one) { return other.contains(one); };
        kept.insert(kept.end(), span, begin);
        if ((!kept.empty() && kept.back().end > other.begin) || !std::all_of(begin, end, is_part)) {
            kept.insert(kept.end(), begin, end);
        }
        span = end;
    }
    kept.insert(kept.end(), span, spans.end());
    spans = std::move(kept);
}

}  // namespace

std::vector<TextRange> SpanFinder::find(std::string_view text, const std::function<bool(TextRange)>& accepts) const {
    const bool common = patterns_->all.size() > patterns_->given;
    const std::vector<TextRange> escapes = common ? escapes_of(text) : std::vector<TextRange>();
    const std::string blanked = with_blanks_for(escapes, text);
    std::vector<TextRange> found;
    const auto add = [&](std::vector<TextRange> matches) {
        if (accepts) {
            matches.erase(std::remove_if(matches.begin(), matches.end(), std::not_fn(accepts)), matches.end());
        }
        remove_parts(found, matches);
        add_apart(found, matches);
    };
    for (std::size_t i = 0; i < patterns_->all.size(); ++i) {
        std::vector<TextRange> matches = matches_of(*patterns_->all[i], i < patterns_->given ? text : blanked);
        for (TextRange& match : matches) {
            if (i == patterns_->given + url_span_pattern) {
                match = with_brackets(blanked, match);
            }
            if (i >= patterns_->given) {
                match = without_emphasis(blanked, match);
            }
        }
        add(std::move(matches));
    }
    add(escapes);
    return common ? with_escapes_behind(text, std::move(found)) : found;
}

bool SpanFinder::finds_nothing() const {
    return patterns_->all.empty();
}

std::vector<TextRange> numbers_of(std::string_view text) {
    static const Pattern pattern = compiled(number_pattern() + R"((?![\p{L}\p{N}]|\\[nrt]\p{Ll}))");
    return matches_of(*pattern, with_blanks_for(escapes_of(text), text));
}

std::vector<TextRange> numbers_in_words_of(std::string_view text) {
    static const Pattern pattern = compiled(number_pattern() + R"((?!\p{N}))");
    return matches_of(*pattern, with_blanks_for(escapes_of(text), text));
}

std::string lower_cased(std::string_view text) {
    std::string result;
    icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())))
        .toLower(icu::Locale::getRoot())
        .toUTF8String(result);
    return result;
}

std::vector<TextRange> parts_between_marks(const MarkedText& text) {
    std::vector<std::size_t> borders{text.text.size()};
    for (const TagPair& mark : text.marks) {
        borders.push_back(mark.range.begin);
        borders.push_back(mark.range.end);
    }
    for (const Atom& atom : text.atoms) {
        borders.push_back(atom.range.begin);
        borders.push_back(atom.range.end);
    }
    std::sort(borders.begin(), borders.end());
    std::vector<TextRange> parts;
    std::size_t done = 0;
    auto atom = text.atoms.begin();  // the first that does not end before
    for (const std::size_t border : borders) {
        atom = std::find_if(atom, text.atoms.end(), [done](const Atom& one) { return one.range.end > done; });
        const bool is_atom = atom != text.atoms.end() && atom->range.begin == done;
        if (border > done && !is_atom) {
            parts.push_back({done, border});
        }
        done = border;
    }
    return parts;
}

MarkedText with_spans(const MarkedText& text, const std::vector<TextRange>& spans) {
    MarkedText result = text;
    result.text.clear();
    MovedPlaces moved;
    std::size_t done = 0;
    for (const TextRange& span : spans) {
        result.text.append(text.text, done, span.begin - done).append(object_mark);
        done = span.end;
        moved.add(span.end, result.text.size());
        const std::string spelled(span.of(text.text));
        const bool is_space = is_escape(spelled);
        // At its old place, as all others for now.
        result.atoms.push_back({span, encoded(spelled, text.markup), is_space, is_space ? "" : spelled});
    }
    result.text.append(text.text, done, std::string::npos);
    std::sort(result.atoms.begin(), result.atoms.end(),
              [](const Atom& a, const Atom& b) { return a.range.begin < b.range.begin; });
    for (Atom& atom : result.atoms) {
        atom.range = moved.range(atom.range);
    }
    for (TagPair& mark : result.marks) {
        mark.range = moved.range(mark.range);
        const TextRange words = trimmed(result, mark.range);
        mark.range = words.size() > 0 ? words : mark.range;
    }
    // One may begin behind a mark that it had inside.
    std::stable_sort(result.marks.begin(), result.marks.end(), [](const TagPair& a, const TagPair& b) {
        return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.range.end > b.range.end;
    });
    return result;
}

}  // namespace softalign

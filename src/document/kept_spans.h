#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "document/marked_text.h"
#include "document/text_range.h"

namespace softalign {

// Finds what a translation must have as it is.
class SpanFinder {
public:
    // `common`: URLs, e-mail addresses, placeholders (%s, %1$s, {name}, ${name}, %(name)s) and emoji. `patterns`: more,
    // as ICU's regular expressions. Throws Error(usage), naming it, for a pattern that is none.
    SpanFinder(bool common, const std::vector<std::string>& patterns);
    ~SpanFinder();
    SpanFinder(SpanFinder&&) noexcept;

    // In order and without overlaps, those that are accepted; where some overlap, one that contains the others counts,
    // else that of the first pattern. Throws Error(data) where a pattern takes too long.
    std::vector<TextRange> find(std::string_view text, const std::function<bool(TextRange)>& accepts = nullptr) const;

    bool finds_nothing() const;

private:
    struct Patterns;
    std::unique_ptr<Patterns> patterns_;
};

// The numbers of a text: digits, also in groups and with a fraction, that are no part of a word. Not in front of what
// may be an escape or a path: "5\\tdogs".
std::vector<TextRange> numbers_of(std::string_view text);

// The same with those that have letters behind them: "5th", "5km".
std::vector<TextRange> numbers_in_words_of(std::string_view text);

// In lower case, by Unicode's rules for no language in particular.
std::string lower_cased(std::string_view text);

// The parts of a text in which no mark begins or ends and which have no atom, in order.
std::vector<TextRange> parts_between_marks(const MarkedText& text);

// Whether a span stands for white space: \\n, \\r or \\t.
bool is_escape(std::string_view span);

// The text with these spans as atoms, of which escapes are white space. REQUIRES: they are in order and do not overlap;
// each is in one of parts_between_marks.
MarkedText with_spans(const MarkedText& text, const std::vector<TextRange>& spans);

}  // namespace softalign

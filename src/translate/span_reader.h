#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/kept_spans.h"
#include "document/marked_text.h"
#include "document/text_range.h"
#include "text/tokenizer.h"
#include "translate/tokenizer_pair.h"

namespace softalign {

// Finds what is kept of the texts that a model reads. Results are in order and without overlaps.
class SpanReader {
public:
    // REQUIRES: the tokenizer of the source outlives this. Throws like SpanFinder.
    SpanReader(const TokenizerPair& tokenizers, const std::vector<std::string>& patterns);

    // Of both tokenizers.
    std::size_t placeholders() const { return placeholders_; }

    // The spans of a text that are taken out, each in one of parts_between_marks: those of the patterns; where they are
    // `common` ones too, what SpanFinder knows, amounts, words and runs of characters that the vocabulary lacks, and
    // numbers, but for those that the model may know and that stay whole. What a pattern finds gives way to a common
    // span that it would cut. Throws like SpanFinder.
    std::vector<TextRange> in_line(const MarkedText& line, bool common) const;

    // All spans and numbers of a text that a translation is to have.
    std::vector<TextRange> in_asked(std::string_view text, bool common) const;

    // The text with the signs of ASCII in place of typographic ones that the vocabulary lacks.
    std::string with_plain_signs(std::string_view text) const;

private:
    std::size_t count_unknown(std::string_view text) const;  // pieces
    bool knows(std::string_view word) const;
    std::vector<TextRange> unknown_with_numbers_in(std::string_view text) const;
    std::vector<TextRange> with_common(const MarkedText& line, const std::vector<TextRange>& parts,
                                       std::vector<TextRange> spans, bool all_numbers) const;
    std::vector<TextRange> unknown_in(std::string_view text) const;

    const Tokenizer& source_;
    SpanFinder common_;
    SpanFinder given_;
    std::size_t placeholders_;
};

}  // namespace softalign

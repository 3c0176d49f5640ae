#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "text/tokenizer.h"
#include "translate/lexical_counts.h"

namespace softalign {

// The size of a shortlist.
struct ShortlistSizes {
    std::int64_t best = 20;       // most probable target pieces for each source piece
    std::int64_t frequent = 100;  // most frequent target pieces, allowed in every sentence
};

// The target pieces to consider in the translation of a sentence: likely translations of its pieces, and some that are
// always allowed (Jean et al. 2015, section 3.3, with attention in place of an aligner).
class Shortlist {
public:
    using Translation = LexicalCounts::Translation;

    // rows: the translations of each source piece, most probable first. always: the pieces that are always allowed.
    Shortlist(std::vector<std::vector<Translation>> rows, std::vector<std::int32_t> always)
        : rows_(std::move(rows)), always_(std::move(always)) {}

    // always() is the end of the sentence, the unknown piece, and the most frequent ones, in this order. A row has the
    // best translations and, if not among these, the target piece with the same text as the source piece, since names
    // and numbers are often copied.
    Shortlist(const LexicalCounts& counts, const Tokenizer& source, const Tokenizer& target,
              const ShortlistSizes& sizes);

    const std::vector<std::vector<Translation>>& rows() const { return rows_; }
    const std::vector<std::int32_t>& always() const { return always_; }

    // Appends the pieces that a sentence may use; pieces may occur twice. REQUIRES: 0 <= id < rows().size() for its
    // pieces, including the end.
    void add_candidates(const std::vector<std::int32_t>& source_pieces, std::vector<std::int32_t>& candidates) const;

private:
    std::vector<std::vector<Translation>> rows_;
    std::vector<std::int32_t> always_;
};

// A shortlist as a text file, which docs/model_format.md describes: the sizes and checksums of both vocabularies, the
// pieces that are always allowed, and a line for each source piece that has translations.

// The contents of the shortlist file for these vocabularies.
std::string shortlist_text(const Shortlist& shortlist, const Tokenizer& source, const Tokenizer& target);

// Throws Error(data), naming file, line and column, for what cannot be read or is no shortlist, and Error(model) for
// one that was made for other vocabularies.
Shortlist read_shortlist(const std::string& path, const Tokenizer& source, const Tokenizer& target);

// Reads the shortlist.txt of a model directory. Throws Error(model) if there is none, saying how to make it, and for
// every error in it, since it is part of the model.
Shortlist read_shortlist_of(const std::string& directory, const Tokenizer& source, const Tokenizer& target);

}  // namespace softalign

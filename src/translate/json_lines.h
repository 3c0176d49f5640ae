#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/tokenizer.h"
#include "translate/alignment.h"
#include "translate/batch_translator.h"

namespace softalign {

// What the ids of source and target stand for.
struct TokenizerPair {
    const Tokenizer& source;
    const Tokenizer& target;
};

// JSON objects on one line, in UTF-8; docs/alignments.md lists their members. Numbers have the fewest digits that give
// the same number back. Both throw Error(numerical) where a number is not finite, for which JSON has no form.

// {"index", "source", "target", "weights"}: an alignment with its labels. Where there is no attention "weights" is [].
std::string soft_alignment_line(std::int64_t index, const Translation& translation, AlignmentUnits units,
                                const TokenizerPair& tokenizers);

// {"index", "source", "source_pieces", "translations"}: all that is known of a sentence, its matrices of attention if
// `attention` says so. REQUIRES: at least one translation; where there is attention, their words.
std::string sentence_line(std::int64_t index, const std::vector<Translation>& translations,
                          const TokenizerPair& tokenizers, bool attention);

}  // namespace softalign

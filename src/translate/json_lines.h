#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/tokenizer.h"
#include "translate/alignment.h"
#include "translate/batch_translator.h"

namespace softalign {

// The tokenizers that map the ids of source and target to pieces.
struct TokenizerPair {
    const Tokenizer& source;
    const Tokenizer& target;
};

// JSON objects on one line, in UTF-8; docs/alignments.md lists their members. Numbers have the fewest digits that read
// back to the same value. Both throw Error(numerical) if a number is not finite, which JSON cannot express.

// {"index", "source", "target", "weights"}: an alignment with its labels. Without attention, "weights" is [].
std::string soft_alignment_line(std::int64_t index, const Translation& translation, AlignmentUnits units,
                                const TokenizerPair& tokenizers);

// {"index", "source", "source_pieces", "translations"}: everything known about a sentence, with its attention matrices
// if `attention` is set. REQUIRES: at least one translation; if there is attention, their words.
std::string sentence_line(std::int64_t index, const std::vector<Translation>& translations,
                          const TokenizerPair& tokenizers, bool attention);

}  // namespace softalign

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"

namespace softalign {

// As in vocabulary.type.
const char* name_of(VocabularyType type);

struct TrainedVocabulary {
    std::string bytes;              // of its file
    std::int64_t size = 0;          // pieces, reserved ones included
    std::int64_t sentences = 0;     // used for training
    std::int64_t bad_encoding = 0;  // lines skipped because they are not UTF-8
};

// Trains a SentencePiece vocabulary of `size` pieces on all files together (plain or .gz). Uses type, normalization,
// character_coverage, byte_fallback and training_sentences of `config`. The reserved ids are pad 0, unk 1, bos 2, eos
// 3, then the 256 byte pieces where byte_fallback asks for them.
//
// `size` is exact for unigram and bpe, the most there may be for word (the most frequent words) and character. 0: a
// third of the square root of the number of lines, times 100 and rounded to hundreds, at most 32 000, or what the text
// can give if that is less; if the text has more characters than that, so many beside them. All characters for
// character. The bytes are a function of the text, the config and the size alone. Lines over 4192 bytes are cut at
// spaces, and words over that length are left out.
//
// Throws Error(data): a file that cannot be read, is empty or is not UTF-8 (unless `on_bad_line` skips), no text.
// Throws Error(configuration): a size that the text cannot give (with the largest or smallest possible one), a
// character coverage or a normalization that does not exist.
TrainedVocabulary make_vocabulary(const std::vector<std::string>& files, const VocabularyConfig& config,
                                  std::int64_t size, BadLine on_bad_line = BadLine::error);

}  // namespace softalign

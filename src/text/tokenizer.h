#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/words.h"

namespace softalign {

// The special ids. A vocabulary without a padding id pads with `eos` (masks make the value irrelevant); one without
// `bos` starts decoding from `eos`.
struct SpecialIds {
    std::int32_t pad = 0;
    std::int32_t unk = 1;
    std::int32_t bos = 2;
    std::int32_t eos = 3;
};

// Besides the pieces, what determines into which of them a vocabulary cuts a text. Each part is only good for comparing
// it with that of another vocabulary.
struct SegmentationRules {
    std::string algorithm;      // unigram, BPE, words, characters; bytes for unknown characters or none
    std::string pieces;         // their scores and types
    std::string normalization;  // what becomes of characters and white space first
};

// Text <-> ids. Immutable and safe to share between threads.
class Tokenizer {
public:
    virtual ~Tokenizer() = default;

    virtual std::int32_t size() const = 0;
    virtual SpecialIds special() const = 0;

    // The pieces of a sentence, without bos and eos. Any text is accepted; what the vocabulary cannot express is `unk`.
    virtual std::vector<std::int32_t> encode(std::string_view text) const = 0;

    // The words of a text as the vocabulary sees them, as views into it: those of words_of(text), divided also at other
    // characters that normalisation turns into spaces.
    virtual std::vector<std::string_view> words(std::string_view text) const { return words_of(text); }

    // One sampled segmentation (Kudo 2018 for unigram; BPE-dropout, Provilkov et al. 2020, for BPE), a function of the
    // text and the key alone. Same as encode if the vocabulary has no sampling (word, char).
    virtual std::vector<std::int32_t> sample(std::string_view text, std::uint64_t key) const = 0;

    // The detokenised text. Special ids are skipped; `unk` is written as the model's unknown surface.
    virtual std::string decode(const std::vector<std::int32_t>& ids) const = 0;

    // The piece with this id, as in the vocabulary ("▁house").
    virtual std::string piece(std::int32_t id) const = 0;

    // What a piece writes, U+2581 for a space: the same, or the byte that "<0x41>" stands for.
    virtual std::string spelling(std::int32_t id) const { return piece(id); }

    // Like encode, with each piece as in the vocabulary. That of `unk` is what was unknown, after normalisation.
    virtual std::vector<std::pair<std::string, std::int32_t>> segment(std::string_view text) const {
        std::vector<std::pair<std::string, std::int32_t>> pieces;
        for (const std::int32_t id : encode(text)) {
            pieces.emplace_back(piece(id), id);
        }
        return pieces;
    }

    // Like sample, with each piece as segment() gives it.
    virtual std::vector<std::pair<std::string, std::int32_t>> sampled_segment(std::string_view text,
                                                                              std::uint64_t key) const {
        std::vector<std::pair<std::string, std::int32_t>> pieces;
        for (const std::int32_t id : sample(text, key)) {
            pieces.emplace_back(piece(id), id);
        }
        return pieces;
    }

    // The ids that decode to nothing, but for `eos`: padding, the begin of sentence, other control pieces of the
    // vocabulary. No text is encoded to them, and an output that had one would read like another without it.
    virtual std::vector<std::int32_t> silent_ids() const = 0;

    // Two vocabularies with the same pieces, ids and rules encode every text alike. Empty parts where the pieces alone
    // determine it.
    virtual SegmentationRules segmentation_rules() const { return {}; }
};

// The ids of pieces, such as those of Tokenizer::segment().
inline std::vector<std::int32_t> ids_of(const std::vector<std::pair<std::string, std::int32_t>>& pieces) {
    std::vector<std::int32_t> ids(pieces.size());
    std::transform(pieces.begin(), pieces.end(), ids.begin(), [](const auto& piece) { return piece.second; });
    return ids;
}

// The id of each piece; of several of one name, the lowest.
inline std::unordered_map<std::string, std::int32_t> ids_by_piece(const Tokenizer& tokenizer) {
    std::unordered_map<std::string, std::int32_t> ids;
    for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
        ids.emplace(tokenizer.piece(id), id);
    }
    return ids;
}

}  // namespace softalign

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "text/tokenizer.h"

namespace softalign {

// How Tokenizer::sample draws.
struct SamplingOptions {
    double alpha = 0.0;       // unigram: the exponent of the probabilities; BPE: the probability of dropping a merge
    std::int64_t nbest = -1;  // unigram: candidates drawn from, at most 512; -1 = all; BPE ignores it
};

// A vocabulary file, in memory. It need not exist under `path` yet; messages name it so.
struct VocabularyBytes {
    std::string path;
    std::string bytes;
};

// Throws Error(model) where the file is missing, unreadable or larger than any vocabulary.
VocabularyBytes read_vocabulary(const std::string& path);

// The vocabulary as what a file of another path holds. Read as a model first: throws Error(model), with the path that
// it has had, if it is none.
VocabularyBytes under_path(VocabularyBytes file, const std::string& path);

// A vocabulary in SentencePiece's file format. Unlike SentencePiece itself:
// - a run of unknown words gives one `unk` per word, not one per run, so that word vocabularies keep the word count;
// - no input text produces the id of a control piece;
// - decoding writes each unknown piece as the model's unknown surface ("<unk>" for the word vocabularies that
//   make_vocabulary makes, U+2047 for all others) with single spaces around it.
class SentencePieceTokenizer : public Tokenizer {
public:
    // Throws Error(model): the file is missing, unreadable, not a SentencePiece model, or has no end-of-sentence piece.
    // Throws Error(configuration) for sampling options out of range.
    explicit SentencePieceTokenizer(const std::string& path, const SamplingOptions& sampling = {});
    explicit SentencePieceTokenizer(const VocabularyBytes& file, const SamplingOptions& sampling = {});
    ~SentencePieceTokenizer() override;

    std::int32_t size() const override;
    SpecialIds special() const override;
    std::vector<std::int32_t> encode(std::string_view text) const override;
    std::vector<std::string_view> words(std::string_view text) const override;
    std::vector<std::int32_t> sample(std::string_view text, std::uint64_t key) const override;
    // Throws Error(model) for an id that is not in this vocabulary.
    std::string decode(const std::vector<std::int32_t>& ids) const override;
    std::vector<std::int32_t> silent_ids() const override;
    std::string piece(std::int32_t id) const override;
    std::string spelling(std::int32_t id) const override;
    std::vector<std::pair<std::string, std::int32_t>> segment(std::string_view text) const override;
    std::vector<std::pair<std::string, std::int32_t>> sampled_segment(std::string_view text,
                                                                      std::uint64_t key) const override;
    SegmentationRules segmentation_rules() const override;

    VocabularyType model() const;

    // The log-probability (unigram, word, character) or minus the rank (BPE) of a piece; 0 for control pieces.
    float score(std::int32_t id) const;

    // Joins pieces to text. A piece that is not in the vocabulary is taken literally, so that the pieces of `segment`
    // give the (normalised) text back.
    std::string decode_pieces(const std::vector<std::string>& pieces) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& path, const SamplingOptions& sampling = {});

}  // namespace softalign

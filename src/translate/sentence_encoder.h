#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "search/search.h"
#include "text/tokenizer.h"
#include "translate/ensemble.h"
#include "translate/piece_words.h"
#include "translate/target_constraints.h"
#include "translate/translate_options.h"

namespace softalign {

// A sentence to translate.
struct TranslationRequest {
    // The most text that the prefix and the phrases may have together, in bytes; there may be Phrases::most phrases.
    static constexpr std::size_t most_constraints = std::size_t{64} << 10;

    std::string text;
    std::string prefix;                // how the translation starts, possibly ending inside a word; empty = anyhow
    std::vector<std::string> phrases;  // what it must contain
};

// The same in the form that the models and the search read.
struct EncodedSentence {
    std::int64_t number = 0;  // of all sentences so far, from 0
    const std::string* text = nullptr;
    std::vector<std::vector<std::int32_t>> pieces;  // of each model, without eos
    SearchTask task;
    SourceWords words;  // of the first model's pieces; if needed

    std::int64_t longest() const;  // of `pieces`
    bool empty() const { return pieces.front().empty(); }
};

// Turns sentences into search tasks, and counts them.
class SentenceEncoder {
public:
    // REQUIRES: both outlive this.
    SentenceEncoder(const Ensemble& ensemble, const TranslateOptions& options);
    ~SentenceEncoder();
    SentenceEncoder(const SentenceEncoder&) = delete;
    SentenceEncoder& operator=(const SentenceEncoder&) = delete;

    // A sentence without pieces gives an empty result, without a task. REQUIRES: the request outlives the result.
    // Throws like BatchTranslator::translate.
    EncodedSentence encode(const TranslationRequest& request);

    std::int64_t sentences() const { return sentences_; }  // so far
    std::int64_t cut() const { return cut_; }              // of them over max_source_length

private:
    EncodedSentence pieces_of(const std::string& text);
    std::vector<std::int32_t> encode_with_words(const std::string& text, SourceWords& words) const;
    SearchTask task_of(const TranslationRequest& request, std::size_t source_pieces, std::int64_t number);
    void constrain(const TranslationRequest& request, std::int64_t number, SearchTask& task);

    const Ensemble& ensemble_;
    const TranslateOptions& options_;
    std::unique_ptr<TargetConstraints> constraints_;  // null until a sentence needs it
    std::int64_t sentences_ = 0;
    std::int64_t cut_ = 0;
};

}  // namespace softalign

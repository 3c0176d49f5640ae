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
    std::string text;
    std::string prefix;  // how the translation starts, perhaps in the middle of a word; empty = as it likes
    std::vector<std::string> phrases;  // what it must contain
};

// The same as the models and the search take it.
struct EncodedSentence {
    const std::string* text;
    std::vector<std::vector<std::int32_t>> pieces;  // of each model, without eos
    SearchTask task;
    PieceWords words;  // where they are needed

    std::int64_t longest() const;  // of `pieces`
    bool empty() const { return pieces.front().empty(); }
};

// Makes search tasks of sentences, and counts them.
class SentenceEncoder {
public:
    // REQUIRES: both outlive this.
    SentenceEncoder(const Ensemble& ensemble, const TranslateOptions& options);
    ~SentenceEncoder();
    SentenceEncoder(const SentenceEncoder&) = delete;
    SentenceEncoder& operator=(const SentenceEncoder&) = delete;

    // A sentence without a piece comes back empty, without a task. REQUIRES: the request outlives the result. Throws
    // Error as BatchTranslator::translate says.
    EncodedSentence encode(const TranslationRequest& request);

    std::int64_t sentences() const { return sentences_; }  // so far
    std::int64_t cut() const { return cut_; }              // of them over max_source_length

private:
    EncodedSentence pieces_of(const std::string& text);
    SearchTask task_of(const TranslationRequest& request, std::size_t source_pieces, std::int64_t number);
    void constrain(const TranslationRequest& request, std::int64_t number, SearchTask& task);

    const Ensemble& ensemble_;
    const TranslateOptions& options_;
    std::unique_ptr<TargetConstraints> constraints_;  // null until a sentence needs it
    std::int64_t sentences_ = 0;
    std::int64_t cut_ = 0;
};

}  // namespace softalign

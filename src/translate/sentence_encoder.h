#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/grid.h"
#include "data/batch.h"
#include "search/search.h"
#include "text/piece_words.h"
#include "text/tokenizer.h"
#include "translate/ensemble.h"
#include "translate/target_constraints.h"
#include "translate/translate_options.h"

namespace softalign {

// A sentence to translate.
struct TranslationRequest {
    // The most text that the prefix and the phrases may have together, in bytes; there may be Phrases::most phrases.
    static constexpr std::size_t most_constraints = std::size_t{64} << 10;

    std::string text;                  // or the name of an array (data/feature_array.h) for models of features
    std::string prefix;                // how the translation starts, possibly ending inside a word; empty = anyhow
    std::vector<std::string> phrases;  // what it must contain
    std::shared_ptr<const Features> features{};  // the array itself, for models of features; null: that of the name
};

// Whether a search may be given phrases.
inline bool takes_phrases(const SearchConfig& search) {
    return !search.sampling && search.groups == 1;
}

// The same in the form that the models and the search read.
struct EncodedSentence {
    std::int64_t number = 0;  // of all sentences so far, from 0
    const TranslationRequest* request = nullptr;
    std::vector<std::vector<std::int32_t>> pieces;  // of each model, without eos; of features there are none
    std::vector<Grid> grids;                        // of each model's annotations of features; empty for text
    bool cut = false;                               // to max_source_length
    SearchTask task;
    SourceWords words;  // of the first model's pieces; if needed

    const std::string& text() const { return request->text; }
    std::size_t positions(std::size_t member) const;  // of its attention: pieces and eos, or of the grid
    std::int64_t longest() const;                     // the most positions of a model
    bool empty() const { return grids.empty() && pieces.front().empty(); }
};

// Turns sentences into search tasks, and counts them.
class SentenceEncoder {
public:
    // REQUIRES: both outlive this.
    SentenceEncoder(const Ensemble& ensemble, const TranslateOptions& options);
    ~SentenceEncoder();
    SentenceEncoder(const SentenceEncoder&) = delete;
    SentenceEncoder& operator=(const SentenceEncoder&) = delete;

    // A sentence without pieces, or a blank name of an array, gives an empty result, without a task. Of arrays only the
    // shape is read. REQUIRES: the request outlives the result.
    // Throws like BatchTranslator::translate.
    EncodedSentence encode(const TranslationRequest& request);

    // The same for one sentence of a text that another encoder reads, which counts it.
    EncodedSentence encode(const TranslationRequest& request, std::int64_t number);

    std::int64_t sentences() const { return sentences_; }  // so far
    std::int64_t cut() const { return cut_; }              // of them over max_source_length

private:
    void add_pieces(EncodedSentence& sentence) const;
    void add_grids(EncodedSentence& sentence) const;
    std::vector<std::int32_t> encode_with_words(const std::string& text, SourceWords& words) const;
    SearchTask task_of(const TranslationRequest& request, std::size_t source_pieces, std::int64_t number);
    // Placeholders of the vocabulary that neither the sentence nor its task has.
    std::vector<std::int32_t> idle_placeholders(const TranslationRequest& request, const SearchTask& task) const;
    void constrain(const TranslationRequest& request, std::int64_t number, SearchTask& task);

    const Ensemble& ensemble_;
    const TranslateOptions& options_;
    std::unique_ptr<TargetConstraints> constraints_;  // null until a sentence needs it
    std::vector<std::int32_t> placeholders_;          // of the target vocabulary
    std::optional<WordBoundaries> whole_words_;       // in the order in which the models write
    std::int64_t sentences_ = 0;
    std::int64_t cut_ = 0;
};

// The array of a sentence. Throws Error(data) that names the sentence by its number from 1.
Features features_of(const EncodedSentence& sentence);

// The grid of an array with these numbers at each position. Throws Error(data) if the models read another size.
Grid opened_grid(const std::string& name, const Ensemble& ensemble);

// The error of a sentence for which the search found nothing: Error(data) that names the sentence by its number from 1
// and the rules for its translation; Error(numerical) if there are none but the maximum length, so that the model rules
// every translation out.
Error unmet_rules(const EncodedSentence& sentence, const TranslateOptions& options);

}  // namespace softalign

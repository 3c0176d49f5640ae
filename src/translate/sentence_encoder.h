#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/grid.h"
#include "data/batch.h"
#include "platform/helpers.h"
#include "platform/worker_pool.h"
#include "search/search.h"
#include "text/piece_words.h"
#include "text/tokenizer.h"
#include "translate/ensemble.h"
#include "translate/target_constraints.h"
#include "translate/translate_options.h"

namespace softalign {

// A long text is read and processed in chunks of so many batches, or of so much text where that is less. The line that
// reaches the limit is part of its chunk.
constexpr std::int64_t chunk_batches = 64;
constexpr std::size_t chunk_bytes = std::size_t{16} << 20;

struct BatchLimits {
    std::int64_t sentences = 64;
    std::int64_t positions = 4096;  // sentences times the length of the longest; one sentence may have more
};

// Limits for batches of this many sentences: as many positions as they have with 64 pieces each, so that the memory of
// a batch stays bounded when sentences are long.
BatchLimits limits_of(std::int64_t sentences);

// Indices into `lengths`, each once, in batches within the limits: the longest sentences first, ties in input order, so
// that a batch has little padding and the last batches, which workers wait for, are cheap.
std::vector<std::vector<std::size_t>> batches_by_length(const std::vector<std::int64_t>& lengths,
                                                        const BatchLimits& limits);

// Helpers that compute batches, as bytes.
struct BatchHelp {
    Helpers* helpers = nullptr;  // null: there are none
    std::function<std::string(const std::vector<std::size_t>& batch)> pack{};
    // Called in any thread, for other batches at the same time.
    std::function<void(const std::vector<std::size_t>& batch, const std::string& answer)> unpack{};
};

// Calls compute(batch) for every batch on the workers, but for those that helpers compute meanwhile. A batch that runs
// out of memory is computed again after all others: whole, then as two batches, as four, and so on down to single
// sentences (run_as_memory_allows). Returns the number of such batches.
std::int64_t run_batches(WorkerPool& pool, const std::vector<std::vector<std::size_t>>& batches,
                         const std::function<void(const std::vector<std::size_t>& batch)>& compute,
                         const BatchHelp& help = {});

// Of a helper: the answer to several batches, as run_batches asks for it. `compute` is called by one thread.
std::string answer_batches(
    const std::string& request,
    const std::function<std::vector<std::string>(const std::vector<std::string>& batches)>& compute);

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

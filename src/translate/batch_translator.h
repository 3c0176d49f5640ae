#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/grid.h"
#include "model/seq2seq.h"
#include "ops/packed_weights.h"
#include "platform/worker_pool.h"
#include "search/search.h"
#include "search/sentence_beam.h"
#include "text/piece_words.h"
#include "text/tokenizer.h"
#include "translate/batching.h"
#include "translate/ensemble.h"
#include "translate/sentence_encoder.h"
#include "translate/translate_options.h"

namespace softalign {

// A hypothesis as text, in text order whatever direction the model writes in. `attention` has S columns: the source
// pieces and their end, as the first model of an ensemble reads them, or the positions of its grid.
struct Translation : Hypothesis {
    std::string text;                      // detokenised, one line
    std::string source;                    // the sentence as it was given, or the name of an array
    std::vector<std::int32_t> source_ids;  // [S], with eos; empty for features
    Grid grid{};                           // of the annotations of features, S = grid.positions(); else empty
    PieceWords source_words;               // of `source` and its S - 1 pieces; empty unless asked for
    PieceWords target_words;               // of `text` and its T - 1 pieces; empty unless asked for
};

// Translates raw sentences. One call at a time; call it repeatedly to process a long text in parts.
class BatchTranslator {
public:
    // REQUIRES: models and tokenizers outlive this, and the weights do not change. Throws Error(configuration) for
    // options out of range, including replacement of unknown pieces with models without attention. `pool`: threads
    // shared with others; null: options.workers threads of its own. `packed`: packed weights shared with other users of
    // the same models; null: its own.
    BatchTranslator(const Ensemble& ensemble, const TranslateOptions& options,
                    std::shared_ptr<WorkerPool> pool = nullptr, std::shared_ptr<PackedWeights> packed = nullptr);

    // A single model.
    BatchTranslator(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                    const TranslateOptions& options, std::shared_ptr<WorkerPool> pool = nullptr,
                    std::shared_ptr<PackedWeights> packed = nullptr);

    // Takes the translations of consecutive sentences.
    using Take = std::function<void(std::vector<std::vector<Translation>> translations)>;

    // Models of features read arrays (TranslationRequest) in place of sentences; positions of the annotations' grid
    // count as source pieces, and nothing is cut.
    //
    // Encodes the sentences, sorts them by length into batches, searches on the worker threads, and gives `take` up to
    // n_best translations of each sentence, best first, in input order. An empty or blank sentence has no pieces and
    // does not reach the models: it gets one empty translation of probability 1, whose end has all its attention on the
    // end of the source. Pieces are those of the first model. An output has at most max_length_ratio * source pieces +
    // max_length_offset pieces, rounded down, and at most max_length if that is set; at least min_length_ratio * source
    // pieces, rounded down, and at least min_length, but never more than the maximum. A prefix and phrases may make it
    // longer. With a shortlist, a sentence may use the pieces that the shortlist allows and those that its prefix and
    // phrases need; probabilities are normalised over these. Throws Error(data), naming the sentence by its number from
    // 1, for a phrase that the vocabulary cannot express, too many or too long constraints (TranslationRequest), a
    // prefix with an unknown piece where forbid_unk is set, and where the search finds nothing that meets all rules
    // (unmet_rules); Error(configuration) for a prefix if the model writes from right to left. The other sentences
    // and the workers affect a result at most by the rounding of floating-point sums, and the order of the sentences
    // never does. This also holds when memory runs out: a batch that does not fit beside others is searched again
    // alone, then in halves, down to single sentences. Errors in a worker are thrown here.
    //
    // Where the translations may take more than options.answer_bytes, they are made and given in several parts. Where
    // it throws for a sentence, `take` gets the translations of the sentences before it first.
    void translate(const std::vector<TranslationRequest>& requests, const Take& take);

    // The same for sentences without constraints.
    void translate(const std::vector<std::string>& sentences, const Take& take);

    // The same, returning all translations at once, whatever memory they take.
    std::vector<std::vector<Translation>> translate(const std::vector<TranslationRequest>& requests);
    std::vector<std::vector<Translation>> translate(const std::vector<std::string>& sentences);

    // The answer to a request of another translator, whose helper this is (TranslateOptions::helpers). Throws like
    // translate().
    std::string answer(const std::string& request);

    const TranslateOptions& options() const { return options_; }
    std::int64_t sentences() const { return encoder_.sentences(); }    // so far
    std::int64_t cut() const { return encoder_.cut(); }                // of them cut to max_source_length
    std::int64_t short_of_memory() const { return short_of_memory_; }  // batches so far that ran out of memory

    std::int64_t faulty() const { return faulty_; }      // sentences so far with a fault that was found
    std::int64_t repaired() const { return repaired_; }  // of them repaired

    // Warns if sentences were cut, if translations were faulty, and if memory ran out.
    void warn() const;

private:
    // The translations of the first sentences of a part.
    struct TranslatedSentences {
        std::vector<std::vector<Translation>> found;  // up to n_best of each, best first
        std::exception_ptr failure;                   // the Error of the sentence after them; null: they are all
    };

    std::size_t most_bytes(const EncodedSentence& sentence) const;
    TranslatedSentences translate_part(const std::vector<EncodedSentence>& sentences);
    void translate_batch(const std::vector<std::size_t>& batch, const std::vector<EncodedSentence>& sentences,
                         std::vector<std::vector<Translation>>& results) const;
    std::vector<std::vector<Hypothesis>> search_batch(const std::vector<std::size_t>& batch,
                                                      const std::vector<EncodedSentence>& sentences) const;
    OutputFault fault_in(const Hypothesis& hypothesis, const EncodedSentence& sentence) const;
    // Searches again for the faulty ones of what was found.
    void repair(const std::vector<std::size_t>& batch, const std::vector<EncodedSentence>& sentences,
                const ModelOfTasks& model_of, std::vector<std::vector<Hypothesis>>& found) const;
    void finish_batch(const std::vector<std::size_t>& batch, const std::vector<EncodedSentence>& sentences,
                      std::vector<std::vector<Hypothesis>> found, std::vector<std::vector<Translation>>& results) const;
    BatchHelp help_with(const std::vector<EncodedSentence>& sentences,
                        std::vector<std::vector<Translation>>& results) const;
    std::vector<std::string> answer_searches(const std::vector<std::string>& batches);
    SearchOptions search_options() const;
    SourceBatch source_of(std::size_t member, const std::vector<std::size_t>& batch,
                          const std::vector<EncodedSentence>& sentences) const;
    // The target pieces that a batch may use; only with a shortlist.
    std::optional<Candidates> candidates_of(const std::vector<std::size_t>& batch,
                                            const std::vector<EncodedSentence>& sentences) const;
    Translation finish(Hypothesis hypothesis, const EncodedSentence& sentence) const;
    std::string text_of(const Hypothesis& hypothesis, const PieceWords& source) const;
    Translation empty_translation(const std::string& sentence) const;
    PieceWords find_words(const std::string& text, const Hypothesis& hypothesis, const PieceWords& source) const;

    Ensemble ensemble_;
    const Tokenizer& source_;  // the first model's
    const Tokenizer& target_;
    std::vector<std::int32_t> silent_;  // of the target
    TranslateOptions options_;
    std::shared_ptr<WorkerPool> pool_;
    std::shared_ptr<PackedWeights> packed_;
    SentenceEncoder encoder_;
    std::int64_t short_of_memory_ = 0;  // batches
    std::int64_t faulty_ = 0;           // sentences
    std::int64_t repaired_ = 0;
};

// The text of the best translation of each sentence, by a temporary BatchTranslator, whose warnings are logged.
std::vector<std::string> best_texts(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                                    const std::vector<std::string>& sentences, const TranslateOptions& options,
                                    std::shared_ptr<WorkerPool> pool = nullptr);

// The bytes of memory that a translation takes.
std::size_t bytes_of(const Translation& translation);

// About the most that the constraints and the translations of a sentence can take together. Exact are the numbers for
// each piece of the longest output that is allowed, with its attention; texts are taken to have eight bytes a piece.
// `models`: whose log-probabilities are kept, 0 for none; `attention`: whether it is kept.
std::size_t most_answer_bytes(const EncodedSentence& sentence, const TranslateOptions& options, std::size_t models,
                              bool attention);

}  // namespace softalign

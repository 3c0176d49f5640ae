#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/packed_weights.h"
#include "model/seq2seq.h"
#include "platform/worker_pool.h"
#include "search/search.h"
#include "text/tokenizer.h"
#include "translate/ensemble.h"
#include "translate/piece_words.h"
#include "translate/sentence_encoder.h"
#include "translate/translate_options.h"

namespace softalign {

// A hypothesis as text, in the order of the text whatever the direction that the model writes in. `attention` has S
// columns: the source pieces and their end, as the first model of an ensemble reads them.
struct Translation : Hypothesis {
    std::string text;                      // detokenised, one line
    std::string source;                    // the sentence as it was given
    std::vector<std::int32_t> source_ids;  // [S], with eos
    PieceWords source_words;               // of `source` and its S - 1 pieces; empty unless asked for
    PieceWords target_words;               // of `text` and its T - 1 pieces; empty unless asked for
};

// Raw sentences in, translations out. One call at a time; it may be called again and again, for a long text in parts.
class BatchTranslator {
public:
    // REQUIRES: models and tokenizers outlive this, and the weights stay as they are. Throws Error(configuration) for
    // options out of range, replacement of unknown pieces by models without attention among them. `pool`: threads that
    // it shares with others; null: it has options.workers of its own. `packed`: packed weights that it shares with
    // others of the same models; null: its own.
    BatchTranslator(const Ensemble& ensemble, const TranslateOptions& options,
                    std::shared_ptr<WorkerPool> pool = nullptr, std::shared_ptr<PackedWeights> packed = nullptr);

    // One model by itself.
    BatchTranslator(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                    const TranslateOptions& options, std::shared_ptr<WorkerPool> pool = nullptr,
                    std::shared_ptr<PackedWeights> packed = nullptr);

    // Encodes the sentences, sorts them by length into batches, lets the worker threads search, and gives up to n_best
    // translations for each sentence, best first, in the order of the input. A sentence without a piece (an empty or
    // blank one) gives one empty translation, of probability 1, whose end has all its attention on the end of the
    // source, and does not reach the models. Pieces are those of the first model. The longest output is
    // max_length_ratio * source pieces + max_length_offset pieces, rounded down, but at most max_length where that is
    // set; the shortest min_length_ratio * source pieces, rounded down, but at least min_length, and never more than
    // the longest. A prefix and phrases may make it longer. With a shortlist, a sentence's pieces are those that it
    // allows and those that its prefix and its phrases ask for; probabilities are shares among these. Throws
    // Error(data) for a phrase that the vocabulary cannot write, naming the sentence by its number from 1, and
    // Error(configuration) for a prefix where the model writes from the right to the left. What a sentence gives
    // depends on the other sentences and on the workers by the rounding of floating-point sums at the most, never by
    // their order, and so where memory runs out: what found none beside other batches is searched again alone, then in
    // halves, down to single sentences. A fault in a worker is thrown here.
    std::vector<std::vector<Translation>> translate(const std::vector<TranslationRequest>& requests);

    // The same of sentences of which nothing more is asked.
    std::vector<std::vector<Translation>> translate(const std::vector<std::string>& sentences);

    const TranslateOptions& options() const { return options_; }
    std::int64_t sentences() const { return encoder_.sentences(); }    // so far
    std::int64_t cut() const { return encoder_.cut(); }                // of them over max_source_length
    std::int64_t short_of_memory() const { return short_of_memory_; }  // batches so far

    // A warning if sentences were cut, and one if memory ran out.
    void warn() const;

private:
    void translate_batch(const std::vector<std::size_t>& batch, const std::vector<EncodedSentence>& sentences,
                         std::vector<std::vector<Translation>>& results) const;
    SearchOptions search_options() const;
    EnsembleSource source_of(std::size_t member, const std::vector<std::size_t>& batch,
                             const std::vector<EncodedSentence>& sentences) const;
    // What a batch may be translated to; only where there is a shortlist.
    std::optional<Candidates> candidates_of(const std::vector<std::size_t>& batch,
                                            const std::vector<EncodedSentence>& sentences) const;
    Translation finish(Hypothesis hypothesis, const EncodedSentence& sentence) const;
    std::string text_of(const Hypothesis& hypothesis, const std::vector<std::string>& words_of_pieces) const;
    Translation empty_translation(const std::string& sentence) const;
    PieceWords find_words(const std::string& text, const Hypothesis& hypothesis,
                          const std::vector<std::string>& words_of_pieces) const;

    Ensemble ensemble_;
    const Tokenizer& source_;  // the first model's
    const Tokenizer& target_;
    std::vector<std::int32_t> silent_;  // of the target
    TranslateOptions options_;
    std::shared_ptr<WorkerPool> pool_;
    std::shared_ptr<PackedWeights> packed_;
    SentenceEncoder encoder_;
    std::int64_t short_of_memory_ = 0;  // batches
};

// A BatchTranslator used once, which warns.
std::vector<std::vector<Translation>> translate(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                                                const std::vector<std::string>& sentences,
                                                const TranslateOptions& options,
                                                std::shared_ptr<WorkerPool> pool = nullptr);

}  // namespace softalign

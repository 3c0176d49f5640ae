#pragma once

// The translator of softalign inside another program: no process, no files but the model's, nothing printed.
//
//   softalign::Translator translator("runs/multi30k_en_de");
//   for (const auto& result : translator.translate({"a dog runs .", "two men talk ."})) {
//       std::cout << result.best().text << "\n";
//   }
//
// docs/embedding.md has the whole story. Needs C++17 and the standard library; CMake: find_package(softalign).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#if defined(__GNUC__)
#define SOFTALIGN_API __attribute__((visibility("default")))
#else
#define SOFTALIGN_API
#endif

namespace softalign {

// What every member throws, besides std::bad_alloc. what() says what was wrong, where, and what to do.
class SOFTALIGN_API TranslatorError : public std::runtime_error {
public:
    enum class Kind {
        options,    // an option out of range, or one that this model or this machine cannot follow
        model,      // a model directory that is missing or damaged
        input,      // a sentence that is not UTF-8, or a phrase that the vocabulary cannot write
        numerical,  // probabilities that are not numbers: training of this model went wrong
        internal    // a fault of the library: please report it
    };

    TranslatorError(Kind kind, const std::string& message);
    ~TranslatorError() override;

    Kind kind() const noexcept { return kind_; }

private:
    Kind kind_;
};

// A model directory, loaded. All members may be called by several threads at the same time, also on one object: calls
// of a few sentences (one batch) run side by side, each on the thread that made it; calls of several batches take turns
// to have all the worker threads. What a sentence gives does not depend on that.
class SOFTALIGN_API Translator {
public:
    enum class Device { automatic, cpu, cuda };
    enum class Precision { float32, bfloat16 };  // of the factors of products on the CPU

    // Where a model runs. What is not set is as the model's configuration says (runtime.* there).
    struct Machine {
        std::optional<Device> device;  // automatic = CUDA where it is available
        std::optional<int> workers;    // threads that translate the batches of a call; 0 = the physical cores
        std::optional<Precision> precision;
        std::string weights;  // file with the weights of another checkpoint; empty = the directory's own
    };

    // A sentence, UTF-8, and what is asked of its translation.
    struct Request {
        std::string text;
        std::string prefix = {};                // how it starts, perhaps in the middle of a word; empty = as it likes
        std::vector<std::string> phrases = {};  // what it must contain
    };

    // What log-probabilities are divided by: length^alpha, or ((5 + length) / 6)^alpha (Wu et al. 2016).
    enum class LengthNorm { power, wu };

    // Drawing hypotheses from the model's distribution p instead of searching for the best.
    struct Sampling {
        double temperature = 1.0;  // from p^(1/temperature), normalised
        std::int64_t top_k = 0;    // of that, from the most probable pieces; 0 = all
        double top_p = 1.0;        // of these, from the fewest that hold this probability
        std::uint64_t seed = 1;    // a sentence gives the same with the same seed and the same place in a call
    };

    // How sentences are translated. What is not set is as the model's configuration says (search.* there, under the
    // same names); docs/configuration.md and docs/translate.md tell the meaning of each.
    struct Options {
        std::int64_t n_best = 1;                        // hypotheses a sentence, at most the beam
        std::optional<std::int64_t> beam;               // hypotheses kept at a step; 1 = greedy
        std::optional<double> patience;                 // done with patience * beam finished; 0 = when no other can win
        std::optional<LengthNorm> length_norm;          //
        std::optional<double> length_alpha;             // 0 = no normalisation
        std::optional<double> coverage_penalty;         // weight; above 0 needs a model with attention
        std::optional<double> word_penalty;             // subtracted from the score for each piece
        std::optional<double> min_length_ratio;         // shortest output in pieces: ratio * source pieces
        std::optional<double> max_length_ratio;         // longest: ratio * source pieces
        std::optional<std::int64_t> max_length_offset;  //   + offset
        std::optional<std::int64_t> min_length;         // of any source
        std::optional<std::int64_t> max_length;         // of any source; 0 = no such limit
        std::optional<std::int64_t> no_repeat_ngram;    // no sequence of so many pieces twice; 0 = any
        std::optional<bool> forbid_unk;                 // never write the unknown piece
        std::optional<bool> shortlist;                  // only what the directory's shortlist.txt has for a sentence
        std::optional<Sampling> sampling;               // draw n_best hypotheses; the beam plays no part then
        std::int64_t groups = 1;                        // diverse beam search: groups of the beam that keep apart
        double diversity = 0.5;                         // and what a piece that another group took costs
        bool attention = false;                         // give attention and alignment; needs a model with attention
        std::optional<std::int64_t> batch_size;         // sentences translated together
        std::int64_t max_source_length = 1000;          // pieces of a sentence that are read; the rest is cut off
    };

    // Pairs of numbers from 0, (source, target), in the order of the target: each is with the one of the source that
    // its attention is greatest on. Where that is the end of the source, it has no pair.
    using Alignment = std::vector<std::pair<std::size_t, std::size_t>>;

    struct Hypothesis {
        std::string text;                    // detokenised, one line
        double score = 0.0;                  // what hypotheses are ranked by
        double log_prob = 0.0;               // natural logarithm of the probability
        std::vector<std::string> pieces;     // of the vocabulary; their end is not among them
        std::vector<float> token_log_probs;  // of the pieces, and of the end behind them

        // With Options::attention: a row for each piece and one for their end, a column for each source piece and one
        // for their end.
        std::vector<std::vector<float>> attention;
        // And who is aligned with whom, in pieces and in words.
        Alignment alignment;
        Alignment word_alignment;
        std::vector<std::string> words;  // of the text
    };

    struct Result {
        std::vector<Hypothesis> hypotheses;      // the best first; at least one
        std::vector<std::string> source_pieces;  // what the model read
        std::vector<std::string> source_words;   // with Options::attention
        bool cut = false;                        // whether it read less than there is: Options::max_source_length

        const Hypothesis& best() const { return hypotheses.front(); }
    };

    // Loads the directory that training wrote.
    explicit Translator(const std::string& model_directory);
    Translator(const std::string& model_directory, const Machine& machine);
    ~Translator();
    Translator(Translator&&) noexcept;
    Translator& operator=(Translator&&) noexcept;

    // Translates sentences, UTF-8, and gives a result for each in their order. An empty or blank sentence gives one
    // empty hypothesis of probability 1.
    std::vector<Result> translate(const std::vector<std::string>& sentences) const;
    std::vector<Result> translate(const std::vector<std::string>& sentences, const Options& options) const;

    // The same of sentences of which more is asked.
    std::vector<Result> translate_requests(const std::vector<Request>& requests, const Options& options) const;

    // "0.1.0", perhaps with a revision behind a "+".
    static std::string version();

private:
    class Impl;
    std::unique_ptr<const Impl> impl_;
};

}  // namespace softalign

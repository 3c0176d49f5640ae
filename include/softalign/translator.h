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
        input,      // a sentence that is not UTF-8
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

    // Where a model runs. What is not set is as the model's configuration says (runtime.* there).
    struct Machine {
        std::optional<Device> device;  // automatic = CUDA where it is available
        std::optional<int> workers;    // threads that translate the batches of a call; 0 = the physical cores
        std::string weights;           // file with the weights of another checkpoint; empty = the directory's own
    };

    // How sentences are translated. What is not set is as the model's configuration says (search.* there, under the
    // same names); the meaning of each is told in docs/configuration.md and docs/translate.md.
    struct Options {
        std::int64_t n_best = 1;                        // hypotheses a sentence, at most the beam
        std::optional<std::int64_t> beam;               // hypotheses kept at a step; 1 = greedy
        std::optional<double> length_alpha;             // score = log-probability / length^alpha
        std::optional<double> max_length_ratio;         // longest output in pieces: ratio * source pieces
        std::optional<std::int64_t> max_length_offset;  //   + offset
        std::optional<bool> forbid_unk;                 // never write the unknown piece
        bool attention = false;                         // give attention and alignment; needs a model with attention
        std::optional<std::int64_t> batch_size;         // sentences translated together
        std::int64_t max_source_length = 1000;          // pieces of a sentence that are read; the rest is cut off
    };

    struct Hypothesis {
        std::string text;                    // detokenised, one line
        double score = 0.0;                  // what hypotheses are ranked by
        double log_prob = 0.0;               // natural logarithm of the probability
        std::vector<std::string> pieces;     // of the vocabulary; their end is not among them
        std::vector<float> token_log_probs;  // of the pieces, and of the end behind them

        // With Options::attention: a row for each piece and one for their end, a column for each source piece and one
        // for their end.
        std::vector<std::vector<float>> attention;
        // And pairs of numbers from 0, (source piece, piece), in the order of the pieces: each with the source piece of
        // its greatest weight. One whose greatest weight is on the end of the source has no pair.
        std::vector<std::pair<std::size_t, std::size_t>> alignment;
    };

    struct Result {
        std::vector<Hypothesis> hypotheses;      // the best first; at least one
        std::vector<std::string> source_pieces;  // what the model read
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

    // "0.1.0", perhaps with a revision behind a "+".
    static std::string version();

private:
    class Impl;
    std::unique_ptr<const Impl> impl_;
};

}  // namespace softalign

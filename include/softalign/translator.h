#pragma once

// Translates inside your own program. It starts no process, reads only the model's files, and prints nothing.
//
//   softalign::Translator translator("runs/multi30k_en_de");
//   for (const auto& result : translator.translate({"a dog runs .", "two men talk ."})) {
//       std::cout << result.best().text << "\n";
//   }
//
// See docs/embedding.md. Needs C++17 and the standard library; CMake: find_package(softalign).

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

// Thrown by every member, besides std::bad_alloc. what() says what was wrong, where, and what to do.
class SOFTALIGN_API TranslatorError : public std::runtime_error {
public:
    enum class Kind {
        options,    // an option is out of range, or this model, machine or process does not support it
        model,      // the model directory is missing or damaged
        input,      // a sentence or an array cannot be read, or no translation meets its constraints
        numerical,  // probabilities are not finite: the training of this model went wrong
        internal    // a fault of the library: please report it
    };

    TranslatorError(Kind kind, const std::string& message);
    ~TranslatorError() override;

    Kind kind() const noexcept { return kind_; }

private:
    Kind kind_;
};

// A loaded model directory. Several threads may call all members at the same time, also on one object. Calls with few
// sentences (one batch) run in parallel, each on its calling thread. Calls with several batches take turns and use all
// worker threads. The result for a sentence does not depend on this. In the child of a fork, see docs/embedding.md.
class SOFTALIGN_API Translator {
public:
    enum class Device { automatic, cpu, cuda };
    enum class Precision { float32, bfloat16, int8 };  // of the factors of matrix products on the CPU

    // Where a model runs. Unset members are taken from the model's configuration (runtime.*).
    struct Machine {
        std::optional<Device> device;  // automatic = CUDA if available
        std::optional<int> workers;    // threads that translate the batches of a call; 0 = one per physical core
        std::optional<Precision> precision;
        std::string weights;  // weights of another checkpoint; empty = the directory's own
        // Map the file of the weights, which must then not be overwritten in place (docs/embedding.md), or read it.
        bool map_weights = true;
    };

    // An array in memory in place of a sentence, for models of features: [height, width, depth] in C order, that is
    // `depth` values at each position of a grid, row after row. A sequence [S,D] is a grid of height 1 and width S.
    struct Features {
        std::int64_t height = 1;
        std::int64_t width = 0;
        std::int64_t depth = 0;  // that of the model: model.source.size
        // height * width * depth of one of these:
        std::vector<float> floats = {};        // finite; read as they are
        std::vector<std::uint8_t> bytes = {};  // 0 to 255, which stand for 0 to 1
    };

    // A sentence, and constraints on its translation.
    struct Request {
        std::string text;  // in UTF-8; for models of features the name of an array, such as "x.npy" or "x.npy[3]"
        // Its beginning, which may end inside a word; white space behind it completes the last word. Empty = none.
        std::string prefix = {};
        // Phrases that it must contain, in any order; they may overlap. At most 64, and at most 64 KiB with the prefix.
        std::vector<std::string> phrases = {};
        std::optional<Features> features = {};  // in place of the text, which must then be empty
    };

    // Divisor of log-probabilities: length^alpha, or ((5 + length) / 6)^alpha (Wu et al. 2016).
    enum class LengthNorm { power, wu };

    // Draws hypotheses from the model's distribution p instead of searching for the best one.
    struct Sampling {
        double temperature = 1.0;  // draw from p^(1/temperature), normalised
        std::int64_t top_k = 0;    // from this many most probable pieces; 0 = all
        double top_p = 1.0;        // of these, from the smallest set with this probability
        std::uint64_t seed = 1;    // the same seed and position in a call give the same draw
    };

    // How sentences are translated. Unset members are taken from the model's configuration (search.*, with the same
    // names); docs/configuration.md and docs/search.md explain them.
    struct Options {
        std::int64_t n_best = 1;                        // hypotheses per sentence, at most the beam
        std::optional<std::int64_t> beam;               // hypotheses kept at each step; 1 = greedy
        std::optional<double> patience;                 // done at patience * beam finished; 0 = no other can win
        std::optional<LengthNorm> length_norm;          // divisor of the log-probability
        std::optional<double> length_alpha;             // 0 = no normalisation
        std::optional<double> coverage_penalty;         // weight; above 0 needs a model with attention
        std::optional<double> word_penalty;             // subtracted from the score for each piece
        std::optional<double> min_length_ratio;         // minimum length in pieces: ratio * source pieces
        std::optional<double> max_length_ratio;         // maximum length: ratio * source pieces
        std::optional<std::int64_t> max_length_offset;  //   + offset
        std::optional<std::int64_t> min_length;         // for any source
        std::optional<std::int64_t> max_length;         // for any source; 0 = no such limit
        std::optional<std::int64_t> no_repeat_ngram;    // no sequence of this many pieces twice; 0 = any
        std::optional<bool> forbid_unk;                 // never write the unknown piece
        std::optional<bool> shortlist;                  // only pieces that the directory's shortlist.txt allows
        std::optional<Sampling> sampling;               // draw n_best hypotheses; ignores the beam
        std::int64_t groups = 1;                        // diverse beam search: number of groups of the beam
        double diversity = 0.5;                         // and the penalty for a piece that an earlier group chose
        bool attention = false;                         // return attention and alignments; needs a model with attention
        bool repair = false;                            // search again for what repeats itself or copies its source
        std::optional<std::int64_t> batch_size;         // sentences translated together
        std::int64_t max_source_length = 1000;          // pieces read per sentence; the rest is cut off
    };

    // Pairs (source, target) of positions from 0, in the order of the target. Each target position is paired with the
    // source position it attends to most. If that is the end of the source, it has no pair. The source positions of
    // features are those of the grid, row after row.
    using Alignment = std::vector<std::pair<std::size_t, std::size_t>>;

    struct Hypothesis {
        std::string text;                    // detokenised, one line
        double score = 0.0;                  // hypotheses are ranked by it
        double log_prob = 0.0;               // natural log-probability
        std::vector<std::string> pieces;     // of the vocabulary, without the end of the sentence
        std::vector<float> token_log_probs;  // of the pieces, and of the end of the sentence

        // With Options::attention: one row per piece and one for the end of the sentence, one column per source piece
        // and one for its end; of features one column per position of the grid, row after row.
        std::vector<std::vector<float>> attention;
        // With Options::attention: alignments in pieces and in words.
        Alignment alignment;
        Alignment word_alignment;
        std::vector<std::string> words;       // words of the text
        std::vector<float> word_confidences;  // of these: the least probability of a piece of each

        // The mean probability of the pieces, 0 to 1: an estimate of the share of words that are right.
        float confidence = 0.0F;

        // With Options::repair: "loop" or "copy" where the best hypothesis repeated itself or copied its source;
        // whether this one is of a second search, in which it does not.
        std::string fault;
        bool repaired = false;
    };

    struct Result {
        std::vector<Hypothesis> hypotheses;      // best first; at least one
        std::vector<std::string> source_pieces;  // as the model read them; none of features
        std::vector<std::string> source_words;   // with Options::attention: up to the last that was read
        bool cut = false;                        // whether the source was cut off at Options::max_source_length
        // Rows and columns of the grid that attention and alignments refer to: that of the features, or a coarser one
        // if the model has convolutions with strides. 0 for text.
        std::int64_t grid_height = 0;
        std::int64_t grid_width = 0;

        const Hypothesis& best() const { return hypotheses.front(); }
    };

    // Loads the directory that training wrote.
    explicit Translator(const std::string& model_directory);
    Translator(const std::string& model_directory, const Machine& machine);
    ~Translator();
    Translator(Translator&&) noexcept;
    Translator& operator=(Translator&&) noexcept;

    // Translates sentences in UTF-8, or arrays by their names, and returns one result for each, in order. An empty or
    // blank sentence gives one empty hypothesis with probability 1.
    std::vector<Result> translate(const std::vector<std::string>& sentences) const;
    std::vector<Result> translate(const std::vector<std::string>& sentences, const Options& options) const;

    // The same with constraints on the translations, and with arrays in memory.
    std::vector<Result> translate_requests(const std::vector<Request>& requests, const Options& options) const;

    // "0.1.0", possibly followed by "+" and a revision.
    static std::string version();

private:
    class Impl;
    std::unique_ptr<const Impl> impl_;
};

}  // namespace softalign

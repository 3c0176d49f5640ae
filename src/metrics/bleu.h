#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/text_metric.h"

namespace softalign {

enum class BleuTokenizer { none, t13a, intl, zh, character };
enum class BleuSmoothing { none, floor, add_k, exp };

// Their names in options and signatures: "none", "13a", "intl", "zh", "char"; "none", "floor", "add-k", "exp".
const std::vector<std::string>& bleu_tokenizer_names();
const std::vector<std::string>& bleu_smoothing_names();
std::string bleu_tokenizer_name(BleuTokenizer tokenizer);
std::string bleu_smoothing_name(BleuSmoothing smoothing);
// nullopt for an unknown name. "v14" is an older name of "intl".
std::optional<BleuTokenizer> find_bleu_tokenizer(std::string_view name);
std::optional<BleuSmoothing> find_bleu_smoothing(std::string_view name);

struct BleuOptions {
    BleuTokenizer tokenizer = BleuTokenizer::t13a;
    BleuSmoothing smoothing = BleuSmoothing::exp;
    double smooth_value = -1.0;  // floor: default 0.1; add_k: default 1; negative = the method's default
    bool lowercase = false;
    bool effective_order = false;  // ignore the orders that no hypothesis is long enough for
};

// Sufficient statistics and result of corpus BLEU (Papineni et al. 2002) as sacreBLEU 2.6 computes it (Post 2018).
struct BleuScore {
    double score = 0.0;                     // 0..100
    std::array<std::int64_t, 4> correct{};  // clipped matching n-grams, before smoothing
    std::array<std::int64_t, 4> total{};    // n-grams of the hypotheses, before smoothing
    std::array<double, 4> precisions{};     // percent, after smoothing; all 0 where nothing matches
    double brevity_penalty = 1.0;
    std::int64_t hypothesis_length = 0;
    std::int64_t reference_length = 0;  // sum of the closest reference lengths
    std::string signature;              // nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0
};

std::unique_ptr<TextMetric> make_bleu(const BleuOptions& options);

// references: one vector per reference stream, each as long as hypotheses. An empty reference has length 0.
// Throws Error(data) for different lengths, no references or no hypotheses.
BleuScore corpus_bleu(const std::vector<std::string>& hypotheses,
                      const std::vector<std::vector<std::string>>& references, const BleuOptions& options);

}  // namespace softalign

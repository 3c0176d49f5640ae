// A translation on the first line, references on the others, for all metrics.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.h"
#include "metrics/bleu.h"
#include "metrics/text_metric.h"
#include "metrics/tokenizers.h"

namespace softalign {

namespace {

using Texts = std::vector<std::string_view>;

double score_of(const TextMetric& metric, SentenceScorer& scorer, std::string_view hypothesis) {
    std::vector<double> statistics(metric.width());
    scorer.compare(hypothesis, statistics.data());
    const std::vector<float> narrow(statistics.begin(), statistics.end());
    const double score = metric.score(statistics.data());
    const double narrow_score = metric.float32_score(narrow.data());
    const double highest = metric.higher_is_better() ? 100.0 + 1e-9 : INFINITY;
    require(score >= 0.0 && score <= highest, "a score is between 0 and 100");
    require(std::abs(narrow_score - score) <= 1e-4 * std::max(1.0, score), "with float32 it is nearly the same");
    metric.verbose(statistics.data());
    metric.details(statistics.data());
    return score;
}

// What a text scores against others, and against itself beside them. `exempt`: it need not be perfect there, because
// nothing of it counts, or because references are tokenized in another way.
void check(const TextMetric& metric, std::string_view hypothesis, const Texts& references, bool exempt) {
    const auto scorer = metric.scorer();
    scorer->set_references(references);
    const double score = score_of(metric, *scorer, hypothesis);
    require(score_of(metric, *scorer, hypothesis) == score, "a score is the same every time");
    Texts with_itself = references;
    with_itself.push_back(hypothesis);
    scorer->set_references(with_itself);
    const double itself = score_of(metric, *scorer, hypothesis);
    if (metric.higher_is_better()) {
        require(exempt || std::abs(itself - 100.0) <= 1e-9, "a text scores 100 against itself");
    } else {
        require(exempt || itself == 0.0, "a text needs no edit to become itself");
    }
}

void run(std::string_view input) {
    Texts lines;
    while (lines.size() < 4) {
        const std::size_t end = std::min(input.find('\n'), input.size());
        lines.push_back(input.substr(0, end));
        if (end == input.size()) {
            break;
        }
        input.remove_prefix(end + 1);
    }
    const std::string_view hypothesis = lines.front();
    const Texts references = lines.size() > 1 ? Texts(lines.begin() + 1, lines.end()) : Texts{""};
    for (const BleuTokenizer tokenizer :
         {BleuTokenizer::none, BleuTokenizer::t13a, BleuTokenizer::intl, BleuTokenizer::zh, BleuTokenizer::character}) {
        BleuOptions options;
        options.tokenizer = tokenizer;
        options.effective_order = true;
        const std::string tokens = tokenize_for_bleu(strip_right(hypothesis), tokenizer);
        check(*make_bleu(options), hypothesis, references, split_words(tokens).empty());
    }
    for (const bool words : {false, true}) {
        ChrfOptions options;
        options.word_order = words ? 2 : 0;
        options.lowercase = words;
        check(*make_chrf(options), hypothesis, references, decode_without_spaces(hypothesis).empty());
    }
    for (const ErrorUnit unit : {ErrorUnit::character, ErrorUnit::word}) {
        check(*make_error_rate(unit, {}), hypothesis, references, false);
        check(*make_error_rate(unit, {true}), hypothesis, references, false);
    }
    check(*make_ter({}), hypothesis, references, false);
    const TerOptions thorough{true, true, true, true};
    const std::string once = tokenize_for_ter(hypothesis, thorough);
    const std::string twice = tokenize_for_ter(once, thorough);  // what becomes of a reference
    check(*make_ter(thorough), hypothesis, references, split_words(once) != split_words(twice));
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}

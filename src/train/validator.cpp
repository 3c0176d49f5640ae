#include "train/validator.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "config/metric.h"
#include "metrics/evaluation.h"
#include "ops/packed_weights.h"
#include "platform/device.h"
#include "platform/memory.h"
#include "translate/batch_translator.h"

namespace softalign {

namespace {

constexpr std::int64_t loss_batch_size = 64;  // sentences

// Pairs of similar length, as indices.
std::vector<std::vector<std::int64_t>> sorted_batches(const Corpus& corpus) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(corpus.size()));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return corpus.target_length(a) < corpus.target_length(b); });
    std::vector<std::vector<std::int64_t>> batches;
    for (std::int64_t begin = 0; begin < corpus.size(); begin += loss_batch_size) {
        const std::int64_t end = std::min(corpus.size(), begin + loss_batch_size);
        batches.emplace_back(order.begin() + begin, order.begin() + end);
    }
    return batches;
}

Batch batch_of(const Corpus& corpus, const std::vector<std::int64_t>& indices, const SpecialIdPair& special) {
    std::vector<Example> examples;
    for (const std::int64_t index : indices) {
        examples.push_back(corpus.example(index, 0));
    }
    return make_batch(examples, special);
}

// What the processes of a group have done of a list: element i is of rank i % size.
template <typename Element>
std::vector<Element> gather_dealt(Group& group, const std::vector<Element>& own, std::size_t count) {
    if (group.is_alone()) {
        return own;
    }
    const std::vector<std::uint8_t> packed = nlohmann::json::to_msgpack(own);
    std::vector<std::vector<Element>> all;
    for (const std::string& text : group.gather(std::string(packed.begin(), packed.end()))) {
        all.push_back(nlohmann::json::from_msgpack(text).template get<std::vector<Element>>());
    }
    std::vector<Element> result;
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back(std::move(all[i % all.size()][i / all.size()]));
    }
    return result;
}

// All metrics: they cost nothing beside the search.
std::vector<ValidationScore> scores_of(const std::vector<std::string>& translations,
                                       const std::vector<std::string>& references, const ValidationConfig& config) {
    EvaluationRequest request;
    request.tokenize = config.tokenize;
    request.lowercase = config.lowercase;
    request.chrf.lowercase = config.lowercase;
    request.error_rate.lowercase = config.lowercase;
    const std::vector<std::vector<std::string>> streams{references};
    const ReferenceSet set(streams, EmptyReferences::count);
    std::vector<ValidationScore> scores;
    for (const Metric metric :
         {Metric::bleu, Metric::chrf, Metric::chrf_plus_plus, Metric::ter, Metric::cer, Metric::wer}) {
        request.metrics = {metric_key(metric)};
        const std::unique_ptr<TextMetric> scored = std::move(make_metrics(request).front());
        const std::vector<double> sums = system_statistics(*scored, set, translations).sums();
        scores.push_back({metric, scored->score(sums.data()), scored->signature({set.count(), {}, {}, {}})});
    }
    return scores;
}

}  // namespace

double ValidationResult::value(Metric metric) const {
    if (!scores_translations(metric)) {
        return metric == Metric::perplexity ? perplexity : cross_entropy;
    }
    const auto found = std::find_if(scores.begin(), scores.end(),
                                    [metric](const ValidationScore& score) { return score.metric == metric; });
    return found == scores.end() ? std::numeric_limits<double>::quiet_NaN() : found->score;
}

bool is_better(Metric metric, double value, double than) {
    if (std::isnan(value) || std::isnan(than)) {
        return !std::isnan(value);
    }
    return higher_is_better(metric) ? value > than : value < than;
}

Validator::Validator(const Config& config, const RunData& data, WorkerPool& pool, Group& group)
    : config_(config), data_(data), pool_(pool), group_(group), batches_(sorted_batches(*data.valid)) {
    for (std::int64_t i = 0; i < data.valid->size(); ++i) {
        tokens_ += data.valid->target_length(i) + 1;
    }
}

void Validator::score_references(const Seq2Seq& model, ValidationResult& result) const {
    const at::Device device = model.parameters().front().device();
    const std::unique_ptr<PackedWeights> rounded = weights_rounded_to(config_.runtime.precision);
    const Execution execution(rounded.get(), nullptr);
    const auto size = static_cast<std::size_t>(group_.size());
    const auto rank = static_cast<std::size_t>(group_.rank());
    std::vector<double> sums((batches_.size() + size - 1 - rank) / size);
    const auto batch_of_sum = [this, size, rank](std::int64_t index) -> const std::vector<std::int64_t>& {
        return batches_[static_cast<std::size_t>(index) * size + rank];
    };
    const auto sentences = [&](std::int64_t index) { return static_cast<std::int64_t>(batch_of_sum(index).size()); };
    const auto compute = [&](std::int64_t index, int, Attempt attempt) {
        const at::NoGradGuard no_grad;
        double& sum = sums[static_cast<std::size_t>(index)];
        sum = 0.0;
        const Batch batch = batch_of(*data_.valid, batch_of_sum(index), data_.special);
        for (const Batch& part : cut_batch(batch, attempt.parts, data_.special)) {
            sum += model.loss(to_tensors(part, device), 0.0, execution).negative_log_prob.item<double>();
        }
    };
    result.computed_again =
        run_as_memory_allows(pool_, static_cast<std::int64_t>(sums.size()), sentences, compute).tasks;
    if (result.computed_again > 0) {
        spdlog::warn(
            "memory ran out; the loss of {} batches of validation sentences was computed again one after another or in "
            "parts, with the same result",
            result.computed_again);
    }
    sums = gather_dealt(group_, sums, batches_.size());
    result.cross_entropy = std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(tokens_);
    result.perplexity = std::exp(result.cross_entropy);
}

void Validator::score_translations(Seq2Seq& model, ValidationResult& result) const {
    TranslateOptions options{config_.search};
    options.precision = config_.runtime.precision;
    // Threads of its own would want as much memory again.
    const std::shared_ptr<WorkerPool> pool(std::shared_ptr<void>(), &pool_);
    std::vector<std::string> sources;
    for (std::size_t i = static_cast<std::size_t>(group_.rank()); i < data_.valid_sources.size();
         i += static_cast<std::size_t>(group_.size())) {
        sources.push_back(data_.valid_sources[i]);
    }
    const std::vector<std::string> own =
        best_texts(model, *data_.tokenizers.source, *data_.tokenizers.target, sources, options, pool);
    result.translations = gather_dealt(group_, own, data_.valid_sources.size());
    result.scores = scores_of(result.translations, data_.valid_references, config_.validation);
}

ValidationResult Validator::run(Seq2Seq& model) const {
    const Stopwatch watch;
    ValidationResult result;
    score_references(model, result);
    // There is nothing to find with probabilities that are no numbers.
    if (config_.validation.translate && std::isfinite(result.cross_entropy)) {
        score_translations(model, result);
    }
    result.seconds = watch.seconds();
    return result;
}

}  // namespace softalign

#include "train/validator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "metrics/evaluation.h"
#include "platform/device.h"
#include "translate/batch_translator.h"

namespace softalign {

namespace {

constexpr std::int64_t loss_batch_size = 64;  // sentences

std::vector<Batch> sorted_batches(const Corpus& corpus, const SpecialIdPair& special) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(corpus.size()));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return corpus.target_length(a) < corpus.target_length(b); });
    std::vector<Batch> batches;
    for (std::size_t begin = 0; begin < order.size(); begin += loss_batch_size) {
        const std::size_t end = std::min(order.size(), begin + loss_batch_size);
        std::vector<Example> examples;
        for (std::size_t i = begin; i < end; ++i) {
            examples.push_back(corpus.example(order[i], 0));
        }
        batches.push_back(make_batch(examples, special));
    }
    return batches;
}

}  // namespace

double ValidationResult::value(Metric metric) const {
    switch (metric) {
        case Metric::bleu:
            return bleu ? bleu->score : 0.0;
        case Metric::cross_entropy:
            return cross_entropy;
        case Metric::perplexity:
            break;
    }
    return perplexity;
}

bool is_better(Metric metric, double value, double than) {
    return metric == Metric::bleu ? value > than : value < than;
}

Validator::Validator(const Config& config, const RunData& data, WorkerPool& pool)
    : config_(config), data_(data), pool_(pool), batches_(sorted_batches(*data.valid, data.special)) {
    for (const Batch& batch : batches_) {
        tokens_ += batch.target_tokens();
    }
}

double Validator::cross_entropy(const Seq2Seq& model) const {
    const at::Device device = model.parameters().front().device();
    std::vector<double> sums(batches_.size());
    pool_.run(static_cast<std::int64_t>(batches_.size()), [&](std::int64_t index, int) {
        const at::NoGradGuard no_grad;
        const auto i = static_cast<std::size_t>(index);
        sums[i] = model.loss(to_tensors(batches_[i], device), 0.0, nullptr).negative_log_prob.item<double>();
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(tokens_);
}

ValidationResult Validator::run(Seq2Seq& model) const {
    const auto start = std::chrono::steady_clock::now();
    ValidationResult result;
    result.cross_entropy = cross_entropy(model);
    result.perplexity = std::exp(result.cross_entropy);
    if (config_.validation.translate) {
        TranslateOptions options = translate_options(config_.search);
        options.workers = pool_.size();
        options.precision = config_.runtime.precision;
        const auto found =
            translate(model, *data_.tokenizers.source, *data_.tokenizers.target, data_.valid_sources, options);
        for (const std::vector<Translation>& best : found) {
            result.translations.push_back(best.front().text);
        }
        EvaluationRequest request;
        request.tokenize = config_.validation.tokenize;
        request.lowercase = config_.validation.lowercase;
        result.bleu = corpus_bleu(result.translations, {data_.valid_references}, bleu_options(request));
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

}  // namespace softalign

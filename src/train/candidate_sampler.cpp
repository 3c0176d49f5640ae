#include "train/candidate_sampler.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "metrics/bleu.h"
#include "search/search.h"
#include "search/seq2seq_stepper.h"

namespace softalign {

namespace {

std::unique_ptr<TextMetric> metric_of(const Config& config) {
    if (config.training.minimum_risk.metric == RiskMetric::chrf) {
        ChrfOptions chrf;
        chrf.lowercase = config.validation.lowercase;
        return make_chrf(chrf);
    }
    BleuOptions bleu;
    bleu.tokenizer = *find_bleu_tokenizer(config.validation.tokenize);
    bleu.lowercase = config.validation.lowercase;
    bleu.smoothing = BleuSmoothing::add_k;
    return make_bleu(bleu);
}

SearchOptions sampling_options(const Config& config, const Tokenizer& target, const SpecialIdPair& special) {
    SearchOptions options;
    options.sampling = true;
    options.n_best = config.training.minimum_risk.samples;
    options.bos = special.target_bos;
    options.eos = special.target_eos;
    options.silent = target.silent_ids();
    return options;
}

// The target of a row, without bos and eos.
std::vector<std::int32_t> reference_of(const Batch& batch, std::int64_t row) {
    const auto begin = batch.target_out.begin() + row * batch.target_width;
    const std::int64_t length = batch.target_lengths[static_cast<std::size_t>(row)] - 1;
    std::vector<std::int32_t> ids;
    std::transform(begin, begin + length, std::back_inserter(ids),
                   [](std::int64_t id) { return static_cast<std::int32_t>(id); });
    return ids;
}

}  // namespace

CandidateSampler::CandidateSampler(const Config& config, const Tokenizer& target, const SpecialIdPair& special)
    : config_(config),
      target_(target),
      special_(special),
      options_(sampling_options(config, target, special)),
      metric_(metric_of(config)) {}

std::vector<CandidateSampler::Translations> CandidateSampler::samples(const Seq2Seq& model, const Batch& batch,
                                                                      const SourceBatch& source, std::uint64_t key,
                                                                      const Execution& execution) const {
    SearchOptions options = options_;
    options.seed = key;
    std::vector<SearchTask> tasks(static_cast<std::size_t>(batch.sentences));
    for (std::size_t row = 0; row < tasks.size(); ++row) {
        // The end of sentence is no piece of a text.
        const std::int64_t pieces = batch.source_lengths[row] - (batch.depth == 0 ? 1 : 0);
        tasks[row].max_length = longest_output(config_.search, pieces);
        tasks[row].source_length = pieces;
        tasks[row].key = static_cast<std::uint64_t>(batch.ids[row]);
    }
    std::vector<Translations> result(tasks.size());
    try {
        SteppingOptions stepping;
        stepping.hypotheses = options.n_best;
        stepping.weights = Weights::unwanted;
        Seq2SeqStepper stepper(model, source, {execution.weights, nullptr}, stepping);
        const std::vector<std::vector<Hypothesis>> drawn = search(stepper, tasks, options);
        for (std::size_t row = 0; row < drawn.size(); ++row) {
            for (const Hypothesis& hypothesis : drawn[row]) {
                result[row].push_back(hypothesis.ids);
                if (model.config().decoder.reverse_target) {
                    std::reverse(result[row].back().begin(), result[row].back().end());
                }
            }
        }
    } catch (const Error& error) {
        if (error.code() != ExitCode::numerical) {
            throw;
        }
        result.assign(tasks.size(), {});  // the loss of the references is no number either, which training deals with
    }
    return result;
}

CandidateBatch CandidateSampler::draw(const Seq2Seq& model, const Batch& batch, std::uint64_t key,
                                      const Execution& execution) const {
    const at::Device device = model.parameters().front().device();
    CandidateBatch result;
    const SourceBatch source = to_tensors(batch, device).source;
    std::vector<Translations> drawn = samples(model, batch, source, key, execution);
    const std::unique_ptr<SentenceScorer> scorer = metric_->scorer();
    std::vector<double> statistics(metric_->width());
    std::vector<Example> all;
    std::vector<std::int64_t> source_rows;
    for (std::int64_t row = 0; row < batch.sentences; ++row) {
        Translations distinct{reference_of(batch, row)};
        const std::size_t given = config_.training.minimum_risk.reference ? 0 : 1;
        for (std::vector<std::int32_t>& sample : drawn[static_cast<std::size_t>(row)]) {
            const auto first = distinct.begin() + static_cast<std::ptrdiff_t>(given);
            if (std::find(first, distinct.end(), sample) == distinct.end()) {
                distinct.push_back(std::move(sample));
            }
        }
        const std::string reference = target_.decode(distinct.front());
        scorer->set_references({reference});
        for (std::vector<std::int32_t>& ids : distinct) {
            scorer->compare(target_.decode(ids), statistics.data());
            result.risks.push_back(1.0 - metric_->score(statistics.data()) / 100.0);
            source_rows.push_back(row);
            Example translation;
            translation.target = std::move(ids);
            all.push_back(std::move(translation));
        }
        result.counts.push_back(static_cast<std::int64_t>(distinct.size()));
    }
    result.translations = to_tensors(make_batch(all, special_), device);
    result.translations.source = source;
    result.translations.source_rows = at::tensor(source_rows, at::kLong);
    return result;
}

}  // namespace softalign

#include "translate/scorer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "data/corpus.h"
#include "text/words.h"
#include "translate/batching.h"

namespace softalign {

namespace {

ScoreOptions checked(const ScoreOptions& options) {
    if (options.batch_size < 1 || options.workers < 1) {
        throw Error(ExitCode::configuration, "scoring options: the batch size and the workers must be at least 1");
    }
    return options;
}

std::vector<std::int32_t> encode(const std::string& sentence, const Tokenizer& tokenizer) {
    return is_blank(sentence) ? std::vector<std::int32_t>() : tokenizer.encode(sentence);
}

}  // namespace

Scorer::Scorer(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target, const ScoreOptions& options)
    : model_(model), source_(source), target_(target), options_(checked(options)), pool_(options_.workers) {}

std::vector<PairScore> Scorer::score(const std::vector<SentencePair>& pairs) {
    std::vector<Example> examples;
    std::vector<std::int64_t> lengths;  // of the longer side
    for (const SentencePair& pair : pairs) {
        examples.push_back(
            {static_cast<std::int64_t>(examples.size()), encode(pair.source, source_), encode(pair.target, target_)});
        const Example& example = examples.back();
        lengths.push_back(static_cast<std::int64_t>(std::max(example.source.size(), example.target.size())) + 1);
    }
    std::vector<PairScore> scores(pairs.size());
    const auto batches = batches_by_length(lengths, limits_of(options_.batch_size));
    pool_.run(static_cast<std::int64_t>(batches.size()), [&](std::int64_t batch, int) {
        score_batch(batches[static_cast<std::size_t>(batch)], examples, scores);
    });
    return scores;
}

void Scorer::score_batch(const std::vector<std::size_t>& batch, const std::vector<Example>& examples,
                         std::vector<PairScore>& scores) const {
    const at::NoGradGuard no_gradients;
    std::vector<Example> rows;
    rows.reserve(batch.size());
    for (const std::size_t index : batch) {
        rows.push_back(examples[index]);
    }
    const TensorBatch tensors =
        to_tensors(make_batch(rows, special_ids(source_, target_)), model_.parameters().front().device());
    const at::Tensor log_probs = model_.token_log_probs(tensors).to(at::kCPU, at::kFloat).contiguous();  // [B,T]
    const float* row = log_probs.data_ptr<float>();
    for (const std::size_t index : batch) {
        PairScore& score = scores[index];
        score.ids = examples[index].target;
        score.ids.push_back(target_.special().eos);
        score.token_log_probs.assign(row, row + score.ids.size());
        score.log_prob = std::accumulate(score.token_log_probs.begin(), score.token_log_probs.end(), 0.0);
        if (std::isnan(score.log_prob)) {
            throw Error(ExitCode::numerical,
                        "the model gives probabilities that are not numbers: its weights are damaged or its training "
                        "diverged; try an earlier checkpoint");
        }
        row += log_probs.size(1);
    }
}

}  // namespace softalign

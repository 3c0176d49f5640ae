#include "translate/scorer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/corpus.h"
#include "data/corpus_side.h"
#include "text/words.h"
#include "translate/sentence_encoder.h"

namespace softalign {

namespace {

ScoreOptions checked(const ScoreOptions& options) {
    if (options.batch_size < 1 || options.workers < 1) {
        throw Error(ExitCode::configuration, "scoring options: the batch size and the workers must be at least 1");
    }
    return options;
}

void check_size(std::int64_t number, const Example& pair) {
    if (is_too_large(pair.source.size(), pair.target.size())) {
        throw Error(ExitCode::data, "pair " + std::to_string(number) + " has " + std::to_string(pair.source.size()) +
                                        " source and " + std::to_string(pair.target.size()) +
                                        " target pieces, too many to score together; split it into sentences");
    }
}

std::vector<std::int32_t> pieces_of(const std::string& sentence, const Tokenizer& tokenizer) {
    return is_blank(sentence) ? std::vector<std::int32_t>() : tokenizer.encode(sentence);
}

}  // namespace

Scorer::Scorer(const Ensemble& ensemble, const ScoreOptions& options)
    : ensemble_(ensemble),
      options_(checked(options)),
      pool_(options_.workers),
      rounded_(weights_rounded_to(options_.precision)) {}

Scorer::Scorer(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target, const ScoreOptions& options)
    : Scorer(Ensemble(model, source, target), options) {}

Scorer::Examples Scorer::encode(const std::vector<SentencePair>& pairs) const {
    Examples examples(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const std::vector<std::int32_t> target = pieces_of(pairs[i].target, ensemble_.target());
        for (const EnsembleMember& member : ensemble_.members()) {
            examples[i].push_back({static_cast<std::int64_t>(i), pieces_of(pairs[i].source, member.source), target});
            check_size(scored_ + static_cast<std::int64_t>(i) + 1, examples[i].back());
        }
    }
    return examples;
}

std::vector<PairScore> Scorer::score(const std::vector<SentencePair>& pairs) {
    const Examples examples = encode(pairs);
    std::vector<std::int64_t> lengths;  // of the longest side
    for (const std::vector<Example>& pair : examples) {
        std::size_t longest = pair.front().target.size();
        for (const Example& example : pair) {
            longest = std::max(longest, example.source.size());
        }
        lengths.push_back(static_cast<std::int64_t>(longest) + 1);
    }
    std::vector<PairScore> scores(pairs.size());
    const auto batches = batches_by_length(lengths, limits_of(options_.batch_size));
    run_batches(pool_, batches, [&](const std::vector<std::size_t>& batch) { score_batch(batch, examples, scores); });
    scored_ += static_cast<std::int64_t>(pairs.size());
    return scores;
}

// [B,T] float32 on the CPU.
at::Tensor Scorer::token_log_probs(const std::vector<std::size_t>& batch, const Examples& examples) const {
    const at::NoGradGuard no_gradients;
    const Execution execution(rounded_.get(), nullptr);
    std::vector<at::Tensor> parts;
    for (std::size_t i = 0; i < ensemble_.members().size(); ++i) {
        const EnsembleMember& member = ensemble_.members()[i];
        std::vector<Example> rows;
        rows.reserve(batch.size());
        for (const std::size_t index : batch) {
            rows.push_back(examples[index][i]);
        }
        const Batch padded = make_batch(rows, special_ids(member.source, member.target));
        parts.push_back(member.model.token_log_probs(to_tensors(padded, ensemble_.device()), execution));
    }
    const at::Tensor whole =
        parts.size() == 1 ? parts.front() : average_log_probs(parts, ensemble_.weights(), ensemble_.space());
    return whole.to(at::kCPU, at::kFloat).contiguous();
}

void Scorer::score_batch(const std::vector<std::size_t>& batch, const Examples& examples,
                         std::vector<PairScore>& scores) const {
    const at::Tensor log_probs = token_log_probs(batch, examples);
    const float* row = log_probs.data_ptr<float>();
    for (const std::size_t index : batch) {
        PairScore& score = scores[index];
        score.ids = examples[index].front().target;
        score.ids.push_back(ensemble_.target().special().eos);
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

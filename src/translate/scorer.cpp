#include "translate/scorer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/corpus.h"
#include "data/corpus_side.h"
#include "data/feature_array.h"
#include "text/words.h"
#include "translate/batching.h"
#include "translate/packets.h"
#include "translate/sentence_encoder.h"

namespace softalign {

ScoreOptions checked(const ScoreOptions& options, const std::string& use) {
    if (options.batch_size < 1 || options.workers < 1) {
        throw Error(ExitCode::configuration, use + " options: the batch size and the workers must be at least 1");
    }
    return options;
}

namespace {

void check_size(std::int64_t number, std::size_t source, std::size_t target) {
    if (is_too_large(source, target)) {
        throw Error(ExitCode::data, "pair " + std::to_string(number) + " has " + std::to_string(source) +
                                        " source and " + std::to_string(target) +
                                        " target pieces, too many to score together; split it into sentences");
    }
}

Error in_pair(std::int64_t number, const Error& error) {
    return {error.code(), "pair " + std::to_string(number) + ": " + error.what()};
}

Features features_of(const std::string& array, std::int64_t pair) {
    try {
        return FeatureArray(array).read();
    } catch (const Error& error) {
        throw in_pair(pair, error);
    }
}

std::vector<std::int32_t> pieces_of(const std::string& sentence, const Tokenizer& tokenizer) {
    return is_blank(sentence) ? std::vector<std::int32_t>() : tokenizer.encode(sentence);
}

}  // namespace

Scorer::Scorer(const Ensemble& ensemble, const ScoreOptions& options)
    : ensemble_(ensemble),
      options_(checked(options, "scoring")),
      pool_(options_.workers),
      rounded_(weights_rounded_to(options_.precision)) {}

Scorer::Scorer(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target, const ScoreOptions& options)
    : Scorer(Ensemble(model, source, target), options) {}

Scorer::Encoded Scorer::encode(const SentencePair& pair, std::int64_t number) const {
    Encoded encoded;
    encoded.number = number;
    const std::vector<std::int32_t> target = pieces_of(pair.target, ensemble_.target());
    std::size_t longest = target.size() + 1;
    std::size_t positions = 0;
    if (ensemble_.has_features()) {
        encoded.array = pair.source;
        try {
            positions = static_cast<std::size_t>(opened_grid(pair.source, ensemble_).positions());
        } catch (const Error& error) {
            throw in_pair(number, error);
        }
    }
    for (const EnsembleMember& member : ensemble_.members()) {
        std::vector<std::int32_t> source;
        if (!ensemble_.has_features()) {
            source = pieces_of(pair.source, member.source);
            positions = source.size();
        }
        check_size(number, positions, target.size());
        longest = std::max(longest, positions + 1);
        encoded.examples.push_back({number, std::move(source), target});
    }
    encoded.length = static_cast<std::int64_t>(longest);
    return encoded;
}

std::vector<PairScore> Scorer::score(const std::vector<SentencePair>& pairs) {
    std::vector<Encoded> encoded;
    std::vector<std::int64_t> lengths;
    for (const SentencePair& pair : pairs) {
        encoded.push_back(encode(pair, scored_ + static_cast<std::int64_t>(encoded.size()) + 1));
        lengths.push_back(encoded.back().length);
    }
    std::vector<PairScore> scores(pairs.size());
    const auto batches = batches_by_length(lengths, limits_of(options_.batch_size));
    run_batches(
        pool_, batches, [&](const std::vector<std::size_t>& batch) { score_batch(batch, encoded, scores); },
        help_with(pairs, scores));
    scored_ += static_cast<std::int64_t>(pairs.size());
    return scores;
}

BatchHelp Scorer::help_with(const std::vector<SentencePair>& pairs, std::vector<PairScore>& scores) const {
    BatchHelp help;
    help.helpers = options_.helpers;
    help.pack = [this, &pairs](const std::vector<std::size_t>& batch) {
        PacketWriter packet;
        packet.number(batch.size());
        for (const std::size_t index : batch) {
            packet.number(scored_ + static_cast<std::int64_t>(index) + 1);
            packet.text(pairs[index].source);
            packet.text(pairs[index].target);
        }
        return packet.bytes();
    };
    help.unpack = [&scores](const std::vector<std::size_t>& batch, const std::string& answer) {
        PacketReader packet(answer);
        for (const std::size_t index : batch) {
            scores[index] = read_score(packet);
        }
    };
    return help;
}

std::string Scorer::answer(const std::string& request) {
    return answer_batches(request, [this](const std::vector<std::string>& batches) { return answer_scores(batches); });
}

std::vector<std::string> Scorer::answer_scores(const std::vector<std::string>& packed) {
    std::vector<Encoded> pairs;
    const auto batches = batches_of(packed, [&](PacketReader& packet) {
        const auto number = packet.number<std::int64_t>();
        const std::string source = packet.text();
        pairs.push_back(encode({source, packet.text()}, number));
    });
    std::vector<PairScore> scores(pairs.size());
    run_batches(pool_, batches, [&](const std::vector<std::size_t>& batch) { score_batch(batch, pairs, scores); });
    return packets_of(batches, [&](std::size_t index, PacketWriter& packet) { write_score(scores[index], packet); });
}

// [B,T] float32 on the CPU.
at::Tensor Scorer::token_log_probs(const std::vector<std::size_t>& batch, const std::vector<Encoded>& pairs) const {
    const at::NoGradGuard no_gradients;
    const Execution execution(rounded_.get(), nullptr);
    std::vector<at::Tensor> parts;
    for (std::size_t i = 0; i < ensemble_.members().size(); ++i) {
        const EnsembleMember& member = ensemble_.members()[i];
        std::vector<Example> rows;
        rows.reserve(batch.size());
        for (const std::size_t index : batch) {
            rows.push_back(pairs[index].examples[i]);
            if (!pairs[index].array.empty()) {
                rows.back().features = features_of(pairs[index].array, pairs[index].number);
            }
        }
        const Batch padded = make_batch(rows, special_ids(member.source, member.target));
        parts.push_back(member.model.token_log_probs(to_tensors(padded, ensemble_.device()), execution));
    }
    const at::Tensor whole =
        parts.size() == 1 ? parts.front() : average_log_probs(std::move(parts), ensemble_.weights(), ensemble_.space());
    return whole.to(at::kCPU, at::kFloat).contiguous();
}

void Scorer::score_batch(const std::vector<std::size_t>& batch, const std::vector<Encoded>& pairs,
                         std::vector<PairScore>& scores) const {
    const at::Tensor log_probs = token_log_probs(batch, pairs);
    const float* row = log_probs.data_ptr<float>();
    for (const std::size_t index : batch) {
        PairScore& score = scores[index];
        score.ids = pairs[index].examples.front().target;
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

#include "translate/attention_counter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/corpus.h"
#include "text/words.h"
#include "translate/batching.h"

namespace softalign {

namespace {

ScoreOptions checked(const Seq2Seq& model, const ScoreOptions& options) {
    ScoreOptions result = checked(options, "counting");
    if (!model.has_attention()) {
        throw Error(ExitCode::model,
                    "the model has no attention, from which a shortlist is made; use a model with attention and the "
                    "same vocabularies");
    }
    return result;
}

}  // namespace

AttentionCounter::AttentionCounter(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                                   const ScoreOptions& options, std::size_t bytes)
    : model_(model),
      source_(source),
      target_(target),
      options_(checked(model, options)),
      bytes_(bytes),
      pool_(options_.workers),
      rounded_(weights_rounded_to(options_.precision)),
      longest_source_(std::numeric_limits<std::int64_t>::max()),
      longest_target_(longest_source_),
      counts_(source.size(), target.size()) {}

void AttentionCounter::limit_lengths(std::int64_t source, std::int64_t target) {
    longest_source_ = source;
    longest_target_ = target;
}

std::vector<Example> AttentionCounter::encode(const std::vector<SentencePair>& pairs) {
    std::vector<Example> examples;
    for (const SentencePair& pair : pairs) {
        if (is_blank(pair.source) || is_blank(pair.target)) {
            continue;
        }
        Example example{static_cast<std::int64_t>(examples.size()), source_.encode(pair.source),
                        target_.encode(pair.target)};
        if (static_cast<std::int64_t>(example.source.size()) > longest_source_ ||
            static_cast<std::int64_t>(example.target.size()) > longest_target_) {
            ++left_out_;
            continue;
        }
        examples.push_back(std::move(example));
    }
    return examples;
}

void AttentionCounter::add(const std::vector<SentencePair>& pairs) {
    const std::vector<Example> examples = encode(pairs);
    std::vector<std::int64_t> lengths;  // of the longer side
    for (const Example& example : examples) {
        lengths.push_back(static_cast<std::int64_t>(std::max(example.source.size(), example.target.size())) + 1);
    }
    const auto batches = batches_by_length(lengths, limits_of(options_.batch_size));
    for (std::size_t begin = 0, end = 0; begin < batches.size(); begin = end) {
        end = end_of_group(batches, begin, examples);
        count(batches, begin, end, examples);
    }
    for (const Example& example : examples) {
        for (const std::int32_t target : example.target) {
            counts_.see(target);
        }
    }
    pairs_ += static_cast<std::int64_t>(examples.size());
}

std::size_t AttentionCounter::end_of_group(const Batches& batches, std::size_t begin,
                                           const std::vector<Example>& examples) const {
    const auto most_parts = [&](const std::vector<std::size_t>& batch) {
        std::size_t parts = 0;
        for (const std::size_t index : batch) {
            const Example& example = examples[index];
            parts += example.target.size() * std::min<std::size_t>(example.source.size() + 1, most_weights);
        }
        return parts;
    };
    std::size_t parts = 0;
    std::size_t end = begin;
    do {
        parts += most_parts(batches[end]);
        ++end;
    } while (end < batches.size() && (parts + most_parts(batches[end])) * sizeof(Part) <= bytes_);
    return end;
}

void AttentionCounter::count(const Batches& batches, std::size_t begin, std::size_t end,
                             const std::vector<Example>& examples) {
    std::vector<std::vector<Part>> parts(end - begin);
    pool_.run(static_cast<std::int64_t>(parts.size()), [&](std::int64_t batch, int) {
        const auto b = static_cast<std::size_t>(batch);
        parts[b] = parts_of(batches[begin + b], examples);
    });
    for (const std::vector<Part>& batch : parts) {
        for (const Part& part : batch) {
            counts_.add(part.source, part.target, part.weight);
        }
    }
}

// [B,T,S] float32 on the CPU.
at::Tensor AttentionCounter::attention(const std::vector<Example>& rows) const {
    const at::NoGradGuard no_gradients;
    const Batch padded = make_batch(rows, special_ids(source_, target_));
    const at::Device device = model_.parameters().front().device();
    return model_.attention(to_tensors(padded, device), Execution(rounded_.get(), nullptr))
        .to(at::kCPU, at::kFloat)
        .contiguous();
}

std::vector<AttentionCounter::Part> AttentionCounter::parts_of(const std::vector<std::size_t>& batch,
                                                               const std::vector<Example>& examples) const {
    std::vector<Example> rows;
    rows.reserve(batch.size());
    for (const std::size_t index : batch) {
        rows.push_back(examples[index]);
    }
    const at::Tensor weights = attention(rows);
    std::vector<Part> parts;
    for (std::size_t b = 0; b < rows.size(); ++b) {
        const float* of_target = weights.data_ptr<float>() + static_cast<std::int64_t>(b) * weights.stride(0);
        for (const std::int32_t target : rows[b].target) {
            if (target != target_.special().unk) {
                share_out(target, of_target, rows[b].source, parts);
            }
            of_target += weights.size(2);
        }
    }
    return parts;
}

void AttentionCounter::share_out(std::int32_t target, const float* weights, const std::vector<std::int32_t>& source,
                                 std::vector<Part>& parts) const {
    for (std::size_t s = 0; s <= source.size(); ++s) {
        if (!std::isfinite(weights[s])) {
            throw Error(ExitCode::numerical,
                        "the model gives attention that is not a number: its weights are damaged or its training "
                        "diverged; try an earlier checkpoint");
        }
        if (weights[s] >= least_weight) {
            parts.push_back({s < source.size() ? source[s] : source_.special().eos, target, weights[s]});
        }
    }
}

}  // namespace softalign

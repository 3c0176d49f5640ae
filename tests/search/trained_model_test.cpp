#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/optim/adam.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "ops/plain_execution.h"
#include "reference_search.h"
#include "search/search.h"
#include "search/seq2seq_stepper.h"

namespace softalign {
namespace {

constexpr std::int64_t words = 16;  // of both languages, the special ones included
constexpr std::int64_t bos = 2;

// Sentences of words whose translation has a choice: a word is written as one of two, or left out.
Batch random_batch(std::uint64_t key) {
    Random random(key);
    std::vector<Example> examples;
    for (std::int64_t id = 0; id < 16; ++id) {
        Example example{id, {}, {}};
        for (std::uint64_t length = 1 + random.below(6); length > 0; --length) {
            const auto word = static_cast<std::int32_t>(4 + random.below(6));
            example.source.push_back(word);
            const std::uint64_t choice = random.below(8);
            if (choice > 0) {
                example.target.push_back(choice > 3 ? word : word + 6);
            }
        }
        examples.push_back(example);
    }
    return make_batch(examples, SpecialIdPair{});
}

std::unique_ptr<Seq2Seq> trained_model() {
    ModelConfig config;
    config.embedding_size = 16;
    config.encoder.hidden_size = 16;
    config.decoder.hidden_size = 24;
    config.attention.size = 16;
    auto model = std::make_unique<Seq2Seq>(config, VocabularySizes{words, words});
    model->initialize(4);
    torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(1e-2));
    for (std::uint64_t update = 0; update < 150; ++update) {
        const Loss loss = model->loss(to_tensors(random_batch(update), at::kCPU), 0.0, plain_execution);
        optimizer.zero_grad();
        (loss.objective / static_cast<double>(loss.tokens)).backward();
        optimizer.step();
    }
    return model;
}

// One sentence, encoded anew and walked along the whole prefix for every question.
PlainSentence plain(const Seq2Seq& model, const at::Tensor& source, const SearchTask& task) {
    const auto last_step = [&model, source](const Tokens& prefix) {
        Seq2SeqStepper stepper(model, {source, {source.size(1)}}, plain_execution);
        StepOutput output = stepper.step(at::tensor({bos}, at::kLong));
        for (const std::int32_t token : prefix) {
            output = stepper.step(at::tensor({std::int64_t{token}}, at::kLong));
        }
        return output;
    };
    const auto row = [](const at::Tensor& values) {
        const at::Tensor flat = values.contiguous();
        return std::vector<float>(flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel());
    };
    return {words, [=](const Tokens& prefix) { return row(last_step(prefix).log_probs); },
            [=](const Tokens& prefix) { return row(last_step(prefix).attention); }, task};
}

TEST(TrainedModel, TheBatchedSearchFindsWhatThePlainOneFinds) {
    at::set_num_threads(1);
    const std::unique_ptr<Seq2Seq> trained = trained_model();
    const Seq2Seq& model = *trained;
    const Batch batch = random_batch(1000);
    const TensorBatch tensors = to_tensors(batch, at::kCPU);
    std::vector<SearchTask> tasks(5);
    const SourceBatch first_five{tensors.source.values.narrow(0, 0, 5),
                                 {batch.source_lengths.begin(), batch.source_lengths.begin() + 5}};
    std::vector<at::Tensor> sources;
    for (std::size_t b = 0; b < tasks.size(); ++b) {
        const auto row = static_cast<std::int64_t>(b);
        const std::int64_t length = tensors.source.lengths[b];
        sources.push_back(tensors.source.values.narrow(0, row, 1).narrow(1, 0, length));
        tasks[b].max_length = 2 * length;
        tasks[b].source_length = length - 1;
    }
    tasks[1].min_length = 3;
    tasks[2].prefix.nodes = {{{7, 1}, {9, 1}}, {}};
    for (const std::int64_t beam : {1, 3, 6}) {
        for (const double coverage : {0.0, 0.3}) {
            SearchOptions options;
            options.beam = beam;
            options.n_best = beam;
            options.patience = beam == 6 ? 0.0 : 1.0;
            options.coverage_penalty = coverage;
            Seq2SeqStepper stepper(model, first_five, plain_execution);
            const auto found = search(stepper, tasks, options);
            for (std::size_t b = 0; b < tasks.size(); ++b) {
                SCOPED_TRACE("beam " + std::to_string(beam) + " sentence " + std::to_string(b));
                const auto expected = reference_search(plain(model, sources[b], tasks[b]), options);
                ASSERT_EQ(found[b].size(), expected.size());
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    EXPECT_EQ(found[b][i].ids, expected[i].ids) << "rank " << i;
                    EXPECT_NEAR(found[b][i].log_prob, expected[i].log_prob, 1e-4);
                    EXPECT_NEAR(found[b][i].score, expected[i].score, 1e-4);
                }
            }
        }
    }
}

}  // namespace
}  // namespace softalign

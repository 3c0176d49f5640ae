#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "devices/devices.h"
#include "model/seq2seq.h"
#include "ops/plain_execution.h"
#include "search/search.h"
#include "search/seq2seq_stepper.h"

namespace softalign {
namespace {

constexpr std::int64_t bos = 2;
constexpr std::int64_t eos = 3;

struct SearchedKind {
    std::string name;
    ModelConfig config;
};

// Each state and memory that has to follow the rows.
std::vector<SearchedKind> searched_kinds() {
    ModelConfig small;
    small.embedding_size = 12;
    small.encoder.hidden_size = 10;
    small.decoder.hidden_size = 20;
    small.attention.size = 8;
    small.init.weights = Initializer::normal;
    small.init.scale = 0.6;
    std::vector<SearchedKind> kinds;
    const auto add = [&](const std::string& name, const std::function<void(ModelConfig&)>& set) {
        kinds.push_back({name, small});
        set(kinds.back().config);
    };
    add("gru", [](ModelConfig&) {});
    add("lstm of two layers", [](ModelConfig& c) {
        c.decoder.cell = CellType::lstm;
        c.decoder.layers = 2;
    });
    add("input feeding", [](ModelConfig& c) {
        c.decoder.attend = AttendWhen::after;
        c.attention.type = AttentionType::general;
    });
    add("coverage", [](ModelConfig& c) { c.attention.coverage = CoverageType::fertility; });
    add("local", [](ModelConfig& c) { c.attention.type = AttentionType::local_p; });
    add("heads", [](ModelConfig& c) {
        c.attention.type = AttentionType::multi_head;
        c.attention.heads = 2;
    });
    add("no attention", [](ModelConfig& c) { c.attention.type = AttentionType::none; });
    add("lexical", [](ModelConfig& c) { c.decoder.lexical = true; });
    add("transformer", [](ModelConfig& c) {
        c.encoder.type = EncoderType::transformer;
        c.encoder.hidden_size = 20;
        c.decoder.type = DecoderType::transformer;
        c.transformer.heads = 2;
    });
    return kinds;
}

SourceBatch three_sentences(const at::Device& device) {
    return {at::tensor({5, 6, 7, 8, 9, 3, 4, 5, 3, 0, 0, 0, 11, 12, 13, 3, 0, 0}, at::kLong).view({3, 6}).to(device),
            {6, 3, 4}};
}

SearchOptions beam_of_four(bool with_attention) {
    SearchOptions options;
    options.beam = 4;
    options.n_best = 3;
    options.bos = bos;
    options.eos = eos;
    options.keep_attention = with_attention;
    return options;
}

std::vector<SearchTask> tasks_up_to(std::int64_t length) {
    std::vector<SearchTask> tasks(3);
    for (SearchTask& task : tasks) {
        task.max_length = length;
    }
    return tasks;
}

// Counts the steps of the model behind it.
class CountedSteps : public StepModel {
public:
    explicit CountedSteps(StepModel& model) : model_(model) {}
    StepOutput step(const at::Tensor& previous) override {
        ++steps;
        return model_.step(previous);
    }
    void select(const at::Tensor& rows) override { model_.select(rows); }

    std::int64_t steps = 0;

private:
    StepModel& model_;
};

class DeviceSearches : public testing::TestWithParam<at::Device> {};

TEST_P(DeviceSearches, FindWhatTheCpuFindsWithOneReadAStep) {
    const std::vector<SearchTask> tasks = tasks_up_to(12);
    for (const SearchedKind& kind : searched_kinds()) {
        for (const bool attention : {false, true}) {
            SCOPED_TRACE(kind.name);
            const SearchOptions options = beam_of_four(attention);
            Seq2Seq model(kind.config, VocabularySizes{23, 19});
            model.initialize(5);
            const SteppingOptions stepping{nullptr, options.beam, attention ? Weights::wanted : Weights::unwanted};
            Seq2SeqStepper here(model, three_sentences(at::kCPU), plain_execution, stepping);
            const auto expected = search(here, tasks, options);
            model.to(GetParam());
            const SourceBatch source = three_sentences(GetParam());
            const Traffic before = traffic();
            Seq2SeqStepper there(model, source, plain_execution, stepping);
            CountedSteps counted(there);
            const auto found = search(counted, tasks, options);
            const Traffic between = traffic_since(before);
            if (GetParam() == counting_device()) {
                const bool twice = attention && model.has_attention();
                EXPECT_EQ(between.to_host, counted.steps * (twice ? 2 : 1));
                EXPECT_EQ(between.reads, 0);
                EXPECT_EQ(between.waits, 0);
            }
            ASSERT_EQ(found.size(), expected.size());
            for (std::size_t i = 0; i < found.size(); ++i) {
                ASSERT_EQ(found[i].size(), expected[i].size());
                for (std::size_t rank = 0; rank < found[i].size(); ++rank) {
                    EXPECT_EQ(found[i][rank].ids, expected[i][rank].ids);
                    EXPECT_NEAR(found[i][rank].log_prob, expected[i][rank].log_prob, 1e-3);
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, DeviceSearches, testing::ValuesIn(devices_beside_cpu()), device_name);

}  // namespace
}  // namespace softalign

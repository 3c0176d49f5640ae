#include "model/recurrent/decoder.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "model/fixtures.h"
#include "ops/differences.h"
#include "ops/execution.h"
#include "ops/packed_rows.h"

namespace softalign {
namespace {

constexpr std::int64_t annotation_size = 4;

ModelConfig decoder_config(CellType cell) {
    ModelConfig config;
    config.embedding_size = 3;
    config.decoder.cell = cell;
    config.decoder.hidden_size = 4;
    config.attention.size = 6;
    return config;
}

// Values and gradients under teacher forcing are those of the steps, whatever form runs.
void expect_the_steps(const ModelConfig& config) {
    const std::vector<std::int64_t> source_lengths = {4, 2, 6};
    const PackedRows rows = pack_rows({3, 5, 1}, 5, at::kCPU);
    RecurrentDecoder decoder(config, annotation_size);
    decoder.to(at::kDouble);
    randomize(decoder, 51);
    at::manual_seed(52);
    Encoded encoded;
    encoded.lengths = source_lengths;
    encoded.mask = token_mask(source_lengths, 6, at::kCPU);
    encoded.annotations = differentiable({3, 6, annotation_size});
    encoded.summary.mean = differentiable({3, annotation_size});
    const at::Tensor words = differentiable({rows.total, 3});
    std::vector<at::Tensor> inputs = {encoded.annotations, encoded.summary.mean, words};
    for (const at::Tensor& parameter : decoder.parameters()) {
        inputs.push_back(parameter);
    }
    const auto run = [&](bool by_steps) {
        Noise noise(53);
        const Execution execution(nullptr, &noise);
        const MemoryPtr memory = decoder.prepare(encoded, execution);
        const StatePtr state = decoder.start(encoded, execution);
        const TaughtWords taught{words, rows, Weights::wanted};
        const TaughtSteps steps = by_steps ? decoder.Decoder::teacher_forced(taught, *memory, *state, execution)
                                           : decoder.teacher_forced(taught, *memory, *state, execution);
        EXPECT_EQ(steps.weights.defined(), decoder.has_attention());
        at::Tensor sum = steps.readouts.pow(2).sum();
        std::vector<at::Tensor> all = {steps.readouts};
        if (steps.weights.defined()) {
            sum = sum + steps.weights.pow(2).sum();
            all.push_back(steps.weights);
        }
        sum.backward();
        for (const at::Tensor& gradient : take_gradients(inputs)) {
            all.push_back(gradient);
        }
        return all;
    };
    EXPECT_LE(largest_difference(run(false), run(true)), 1e-13);
}

TEST(RecurrentDecoder, AdditiveFormIsTheStepsOneByOne) {
    for (const CellType cell : {CellType::gru, CellType::gru_cho, CellType::lstm}) {
        for (const AttendWhen attend : {AttendWhen::before, AttendWhen::between}) {
            for (const double recurrent : {0.0, 0.4}) {
                ModelConfig config = decoder_config(cell);
                config.decoder.attend = attend;
                config.dropout.recurrent = recurrent;
                expect_the_steps(config);
                config.layer_norm = cell == CellType::gru;
                expect_the_steps(config);
            }
        }
    }
}

TEST(RecurrentDecoder, FormOfLayersIsTheStepsOneByOne) {
    for (const CellType cell : {CellType::gru, CellType::gru_cho, CellType::lstm}) {
        for (const AttentionType attention :
             {AttentionType::dot, AttentionType::local_m, AttentionType::multi_head, AttentionType::none}) {
            for (const std::int64_t layers : {1, 3}) {
                ModelConfig config = decoder_config(cell);
                config.attention.type = attention;
                config.attention.heads = 2;
                config.decoder.attend = attention == AttentionType::none ? AttendWhen::never : AttendWhen::after;
                config.decoder.input_feeding = false;
                config.decoder.layers = layers;
                config.decoder.residual = layers > 1;
                config.decoder.first_word = layers > 1 ? FirstWord::zero : FirstWord::bos;
                config.dropout.recurrent = 0.4;
                config.dropout.layers = 0.3;
                config.layer_norm = cell == CellType::gru && layers > 1;
                expect_the_steps(config);
            }
        }
    }
}

// Every order of steps, with states of all kinds that rows leave as sentences end.
TEST(RecurrentDecoder, StepsWithoutPaddingAreTheStepsOneByOne) {
    for (const CellType cell : {CellType::gru, CellType::gru_cho, CellType::lstm}) {
        for (const AttendWhen attend :
             {AttendWhen::before, AttendWhen::look_generate_update, AttendWhen::between, AttendWhen::after}) {
            for (const AttentionType attention : {AttentionType::additive, AttentionType::general,
                                                  AttentionType::local_p, AttentionType::grouped_query}) {
                ModelConfig config = decoder_config(cell);
                config.attention.type = attention;
                config.attention.heads = 2;
                config.attention.groups = 1;
                config.attention.coverage =
                    attention == AttentionType::additive ? CoverageType::sum : CoverageType::none;
                config.decoder.attend = attend;
                config.decoder.input_feeding = attend == AttendWhen::after;
                config.decoder.layers = 2;
                config.decoder.deep_context = attend == AttendWhen::before;
                config.decoder.first_word = FirstWord::zero;
                config.dropout.recurrent = 0.4;
                expect_the_steps(config);
            }
        }
    }
}

// A unit that has no form over a sequence, with attention that waits for the last step.
TEST(RecurrentDecoder, AttendsAfterStepsWithoutPadding) {
    ModelConfig config = decoder_config(CellType::lstm);
    config.attention.type = AttentionType::dot;
    config.decoder.attend = AttendWhen::after;
    config.decoder.input_feeding = false;
    config.decoder.transition_depth = 2;
    expect_the_steps(config);
    config.decoder.attend = AttendWhen::never;
    config.attention.type = AttentionType::none;
    expect_the_steps(config);
}

}  // namespace
}  // namespace softalign

#include "ops/library_layer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "devices/devices.h"
#include "model/recurrent/cell.h"
#include "ops/differences.h"
#include "ops/plain_execution.h"
#include "ops/to_device.h"

namespace softalign {
namespace {

constexpr std::int64_t input_size = 3;
constexpr std::int64_t hidden_size = 4;
const std::vector<std::int64_t> lengths = {3, 5, 1, 5, 2};

std::shared_ptr<RecurrentCell> random_cell(CellType type) {
    CellShape shape;
    shape.type = type;
    shape.input_size = input_size;
    shape.hidden_size = hidden_size;
    auto cell = std::make_shared<RecurrentCell>(shape);
    const at::NoGradGuard no_gradients;
    for (at::Tensor& parameter : cell->parameters()) {
        parameter.set_data(at::randn(parameter.sizes(), at::kDouble));
    }
    return cell;
}

struct Layers {
    std::vector<std::shared_ptr<RecurrentCell>> cells;  // forwards; and backwards, if there are two
    at::Tensor inputs;                                  // [B,S,I]
    at::Tensor start;                                   // [B,H] h and c before the first step; undefined = zeros
};

// States [P,·] packed, last hidden states and cells [D,B,H] in the order of the rows, by the steps of each sentence.
std::vector<at::Tensor> step_by_step(const Layers& layers, const PackedRows& rows) {
    std::vector<at::Tensor> states;
    std::vector<at::Tensor> hidden;
    std::vector<at::Tensor> cells;
    for (std::size_t direction = 0; direction < layers.cells.size(); ++direction) {
        const RecurrentCell& cell = *layers.cells[direction];
        std::vector<at::Tensor> sentences;
        std::vector<at::Tensor> last_hidden(lengths.size());
        std::vector<at::Tensor> last_cell(lengths.size());
        for (std::size_t b = 0; b < lengths.size(); ++b) {
            std::vector<at::Tensor> steps(static_cast<std::size_t>(layers.inputs.size(1)),
                                          at::zeros({1, hidden_size}, at::kDouble));
            RecurrentState state = cell.zero_state(1);
            if (layers.start.defined()) {
                state.hidden = layers.start.narrow(0, static_cast<std::int64_t>(b), 1);
                state.cell = state.cell.defined() ? state.hidden : state.cell;
            }
            for (std::int64_t i = 0; i < lengths[b]; ++i) {
                const std::int64_t t = direction == 0 ? i : lengths[b] - 1 - i;
                const at::Tensor x = layers.inputs[static_cast<std::int64_t>(b)].narrow(0, t, 1);
                state = cell.step(cell.project(x, plain_execution), state, at::Tensor(), plain_execution);
                steps[static_cast<std::size_t>(t)] = state.hidden;
            }
            sentences.push_back(at::cat(steps));
            last_hidden[b] = state.hidden;
            last_cell[b] = state.cell.defined() ? state.cell : at::zeros({1, hidden_size}, at::kDouble);
        }
        states.push_back(pack(at::stack(sentences), rows));
        const at::Tensor order = at::tensor(rows.order, at::kLong);
        hidden.push_back(at::cat(last_hidden).index_select(0, order));
        cells.push_back(at::cat(last_cell).index_select(0, order));
    }
    return {at::cat(states, 1), at::stack(hidden), at::stack(cells)};
}

std::vector<at::Tensor> in_one_call(const Layers& layers, const PackedRows& rows) {
    LibraryLayer layer{layers.cells.front()->type() == CellType::lstm, {}, {}};
    for (const auto& cell : layers.cells) {
        const std::vector<at::Tensor> weights = cell->weights();
        layer.weights.insert(layer.weights.end(), weights.begin(), weights.end());
    }
    if (layers.start.defined()) {
        layer.start.hidden = layer.start.cell =
            layers.start.index_select(0, to_device(rows.order, layers.start.device()));
    }
    const LibraryStates result = run_library_layer(layer, pack(layers.inputs, rows), rows);
    return {result.states, result.hidden, layer.is_lstm ? result.cell : at::zeros_like(result.hidden)};
}

// The results, and the gradients of the inputs and of all weights for a weighted sum of them.
std::vector<at::Tensor> with_gradients(const Layers& layers, std::vector<at::Tensor> results) {
    at::Tensor sum = at::zeros({}, layers.inputs.options().requires_grad(false));
    for (std::size_t i = 0; i < results.size(); ++i) {
        const at::Tensor weight = at::arange(results[i].numel(), at::kDouble).add(static_cast<double>(i)).sin();
        sum = sum + (results[i] * weight.view(results[i].sizes()).to(sum.device())).sum();
    }
    sum.backward();
    std::vector<at::Tensor> leaves{layers.inputs};
    if (layers.start.defined()) {
        leaves.push_back(layers.start);
    }
    for (const auto& cell : layers.cells) {
        for (const at::Tensor& parameter : cell->parameters()) {
            leaves.push_back(parameter);
        }
    }
    const std::vector<at::Tensor> gradients = take_gradients(leaves);
    results.insert(results.end(), gradients.begin(), gradients.end());
    for (at::Tensor& result : results) {
        result = result.detach().cpu();
    }
    return results;
}

// On the CPU, where LibTorch computes the same operation, and on devices.
TEST(LibraryLayer, IsTheStepsOneByOne) {
    at::manual_seed(71);
    for (const CellType type : {CellType::gru, CellType::lstm}) {
        for (const std::size_t directions : {1, 2}) {
            const auto sentences = static_cast<std::int64_t>(lengths.size());
            Layers layers{{}, differentiable({sentences, 6, input_size}), {}};
            if (directions == 1) {
                layers.start = differentiable({sentences, hidden_size});
            }
            for (std::size_t i = 0; i < directions; ++i) {
                layers.cells.push_back(random_cell(type));
            }
            const PackedRows rows = pack_rows(lengths, 6, at::kCPU);
            const auto expected = with_gradients(layers, step_by_step(layers, rows));
            EXPECT_LE(largest_difference(with_gradients(layers, in_one_call(layers, rows)), expected), 1e-12);
            for (const at::Device& device : devices_beside_cpu()) {
                Layers moved = layers;
                moved.inputs = on_device(layers.inputs, device);
                moved.start = on_device(layers.start, device);
                for (const auto& cell : moved.cells) {
                    cell->to(device);
                }
                const Traffic before = traffic();
                const PackedRows there = pack_rows(lengths, 6, device);
                const std::vector<at::Tensor> found = in_one_call(moved, there);
                const Traffic between = traffic_since(before);
                EXPECT_EQ(between.reads + between.to_host + between.waits, 0);
                EXPECT_LE(largest_difference(with_gradients(moved, found), expected), 1e-11);
                for (const auto& cell : moved.cells) {
                    cell->to(at::kCPU);
                }
            }
        }
    }
}

TEST(LibraryLayer, ServesUnitsWithoutAnyOtherOption) {
    CellShape shape;
    shape.input_size = input_size;
    shape.hidden_size = hidden_size;
    for (const CellType type : {CellType::gru, CellType::gru_cho, CellType::lstm}) {
        shape.type = type;
        EXPECT_TRUE(RecurrentCell(shape).is_plain(type));
        EXPECT_EQ(RecurrentCell(shape).is_plain(CellType::lstm), type == CellType::lstm);
        CellShape deep = shape;
        deep.depth = 2;
        EXPECT_FALSE(RecurrentCell(deep).is_plain(type));
    }
    shape.type = CellType::lstm;
    shape.layer_norm = true;
    EXPECT_FALSE(RecurrentCell(shape).is_plain(CellType::lstm));
}

}  // namespace
}  // namespace softalign

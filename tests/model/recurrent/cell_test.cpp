#include "model/recurrent/cell.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "model/fixtures.h"
#include "ops/plain_execution.h"
#include "ops/recurrent.h"

namespace softalign {
namespace {

CellShape shape(CellType type, bool layer_norm, std::int64_t context_size = 0, std::int64_t depth = 1) {
    CellShape result;
    result.type = type;
    result.input_size = 3;
    result.hidden_size = 4;
    result.layer_norm = layer_norm;
    result.context_size = context_size;
    result.depth = depth;
    return result;
}

struct Cell {
    RecurrentCell cell;
    at::Tensor input = differentiable({2, 3});
    at::Tensor context = differentiable({2, 2});
    at::Tensor hidden = differentiable({2, 4});
    at::Tensor memory = differentiable({2, 4});

    Cell(CellType type, bool layer_norm, bool with_context) : cell(shape(type, layer_norm, with_context ? 2 : 0)) {
        cell.to(at::kDouble);
        randomize(cell, 5);
    }

    RecurrentState state() const { return {hidden, cell.type() == CellType::lstm ? memory : at::Tensor()}; }

    at::Tensor parameter(const std::string& name) const { return cell.named_parameters()[name]; }
};

TEST(RecurrentCell, IsLibTorchsUnitWithoutLayerNorm) {
    for (const CellType type : {CellType::gru, CellType::lstm}) {
        const Cell c(type, false, false);
        const RecurrentState next =
            c.cell.step(c.cell.project(c.input, plain_execution), c.state(), at::Tensor(), plain_execution);
        const at::Tensor w = c.parameter("weight_ih");
        const at::Tensor u = c.parameter("weight_hh");
        const at::Tensor b = c.parameter("bias_ih");
        const at::Tensor d = c.parameter("bias_hh");
        if (type == CellType::gru) {
            EXPECT_LE(largest_difference(next.hidden, at::gru_cell(c.input, c.hidden, w, u, b, d)), 1e-14);
            EXPECT_FALSE(next.cell.defined());
        } else {
            const std::vector<at::Tensor> both = {c.hidden, c.memory};
            const auto [hidden, memory] = at::lstm_cell(c.input, both, w, u, b, d);
            EXPECT_LE(largest_difference(next.hidden, hidden), 1e-14);
            EXPECT_LE(largest_difference(next.cell, memory), 1e-14);
        }
    }
}

// gain * (x - mean) / sqrt(var + 1e-5) + bias, each operation written out.
at::Tensor normalized(const at::Tensor& x, const at::Tensor& gain, const at::Tensor& bias) {
    const at::Tensor centred = x - x.mean(-1, true);
    return gain * centred / (centred.square().mean(-1, true) + 1e-5).sqrt() + bias;
}

// Cho et al. 2014: the reset gate acts on the state, and the update gate lets the new state in.
TEST(RecurrentCell, ChosUnitIsThatOfThePaper) {
    const at::NoGradGuard no_grad;
    const Cell c(CellType::gru_cho, false, true);
    const auto p = c.cell.named_parameters();
    const at::Tensor outer = at::linear(c.input, p["weight_ih"], p["bias_ih"]) + at::linear(c.context, p["weight_ch"]);
    const auto rows = [](const at::Tensor& x, std::int64_t gate) { return x.narrow(0, 4 * gate, 4); };
    const auto gate = [&](std::int64_t number, const at::Tensor& state) {
        return outer.narrow(1, 4 * number, 4) + at::linear(state, rows(p["weight_hh"], number));
    };
    const at::Tensor reset = gate(0, c.hidden).sigmoid();
    const at::Tensor update = gate(1, c.hidden).sigmoid();
    const at::Tensor candidate = gate(2, reset * c.hidden).tanh();
    const at::Tensor expected = (1.0 - update) * c.hidden + update * candidate;
    const at::Tensor projected =
        c.cell.project(c.input, plain_execution) + c.cell.project_context(c.context, plain_execution);
    EXPECT_LE(largest_difference(c.cell.step(projected, c.state(), at::Tensor(), plain_execution).hidden, expected),
              1e-14);
}

// A deep transition is units one after the other, of which the first alone sees the input.
TEST(RecurrentCell, DeepTransitionIsUnitsInARow) {
    const at::NoGradGuard no_grad;
    for (const CellType type : {CellType::gru, CellType::gru_cho}) {
        RecurrentCell deep(shape(type, false, 0, 3));
        RecurrentCell first(shape(type, false));
        deep.to(at::kDouble);
        first.to(at::kDouble);
        randomize(deep, 12);
        const auto p = deep.named_parameters();
        for (auto& item : first.named_parameters()) {
            item.value().copy_(p[item.key()]);
        }
        const at::Tensor input = at::randn({2, 3}, at::kDouble);
        const RecurrentState start{at::randn({2, 4}, at::kDouble), at::Tensor()};
        RecurrentState state = first.step(first.project(input, plain_execution), start, at::Tensor(), plain_execution);
        for (const char* unit : {"deep1", "deep2"}) {
            CellShape bare = shape(type, false);
            bare.input_size = 0;
            RecurrentCell next(bare);
            next.to(at::kDouble);
            for (auto& item : next.named_parameters()) {
                item.value().copy_(p[std::string(unit) + "." + item.key()]);
            }
            const at::Tensor constant = p[std::string(unit) + ".bias_ih"].expand({2, -1});
            state = next.step(constant, state, at::Tensor(), plain_execution);
        }
        const RecurrentState all =
            deep.step(deep.project(input, plain_execution), start, at::Tensor(), plain_execution);
        EXPECT_LE(largest_difference(all.hidden, state.hidden), 1e-15);
    }
}

TEST(RecurrentCell, LayerNormIsOverAllGatesAndInsideTheLastTanh) {
    for (const CellType type : {CellType::gru, CellType::lstm}) {
        const Cell c(type, true, true);
        const auto norm = [&](const std::string& name, const at::Tensor& x) {
            return normalized(x, c.parameter(name + ".gain"), c.parameter(name + ".bias"));
        };
        const at::Tensor projected = norm("norm_ih", c.input.matmul(c.parameter("weight_ih").t())) +
                                     norm("norm_ch", c.context.matmul(c.parameter("weight_ch").t()));
        const at::Tensor recurrent = norm("norm_hh", c.hidden.matmul(c.parameter("weight_hh").t()));
        const RecurrentState next =
            c.cell.step(c.cell.project(c.input, plain_execution) + c.cell.project_context(c.context, plain_execution),
                        c.state(), at::Tensor(), plain_execution);
        if (type == CellType::gru) {
            EXPECT_LE(largest_difference(next.hidden, gru_gates_plain(projected, recurrent, c.hidden)), 1e-13);
            continue;
        }
        const std::vector<at::Tensor> gates = (projected + recurrent).chunk(4, 1);
        const at::Tensor memory = gates[1].sigmoid() * c.memory + gates[0].sigmoid() * gates[2].tanh();
        EXPECT_LE(largest_difference(next.cell, memory), 1e-13);
        EXPECT_LE(largest_difference(next.hidden, gates[3].sigmoid() * norm("norm_cell", memory).tanh()), 1e-13);
    }
}

TEST(RecurrentCell, MaskMultipliesOnlyTheStateThatEntersU) {
    const Cell c(CellType::gru, false, false);
    const at::Tensor mask = at::tensor({0.0, 2.0, 2.0, 0.0, 2.0, 0.0, 2.0, 2.0}, at::kDouble).view({2, 4});
    const at::Tensor projected = c.cell.project(c.input, plain_execution);
    const at::Tensor recurrent = at::linear(c.hidden * mask, c.parameter("weight_hh"), c.parameter("bias_hh"));
    const RecurrentState next = c.cell.step(projected, c.state(), mask, plain_execution);
    EXPECT_LE(largest_difference(next.hidden, gru_gates_plain(projected, recurrent, c.hidden)), 1e-14);
}

TEST(RecurrentCell, GradientsMatchFiniteDifferences) {
    at::manual_seed(4);
    const at::Tensor weight = at::randn({2, 2, 4}, at::kDouble);
    const at::Tensor drop = at::tensor({0.0, 2.0, 2.0, 0.0, 2.0, 0.0, 2.0, 2.0}, at::kDouble).view({2, 4});
    for (const CellType type : {CellType::gru, CellType::gru_cho, CellType::lstm}) {
        for (const bool layer_norm : {false, true}) {
            if (layer_norm && type == CellType::gru_cho) {
                continue;  // has no such form
            }
            for (const at::Tensor& mask : {at::Tensor(), drop}) {
                constexpr const char* names[] = {"gru", "gru_cho", "lstm"};
                SCOPED_TRACE(std::string(names[static_cast<int>(type)]) + (layer_norm ? " layer_norm" : "") +
                             (mask.defined() ? " mask" : ""));
                Cell c(type, layer_norm, true);
                std::vector<at::Tensor> inputs = {c.input, c.context, c.hidden};
                if (type == CellType::lstm) {
                    inputs.push_back(c.memory);
                }
                for (const at::Tensor& parameter : c.cell.parameters()) {
                    inputs.push_back(parameter);
                }
                const auto scalar = [&] {
                    const at::Tensor projected =
                        c.cell.project(c.input, plain_execution) + c.cell.project_context(c.context, plain_execution);
                    const RecurrentState once = c.cell.step(projected, c.state(), mask, plain_execution);
                    const RecurrentState twice = c.cell.step(projected, once, mask, plain_execution);
                    const at::Tensor last = type == CellType::lstm ? twice.cell : once.hidden;
                    return (twice.hidden * weight[0]).sum() + (last * weight[1]).sum();
                };
                EXPECT_LE(gradient_error(scalar, inputs), 2e-8);
            }
        }
    }
}

TEST(RecurrentCell, ParametersAreNamedAsDocumented) {
    const auto names = [](const RecurrentCell& cell) {
        std::string all;
        for (const auto& item : cell.named_parameters()) {
            all += (all.empty() ? "" : " ") + item.key();
        }
        return all;
    };
    EXPECT_EQ(names(RecurrentCell(shape(CellType::gru, false))), "weight_ih weight_hh bias_ih bias_hh");
    EXPECT_EQ(names(RecurrentCell(shape(CellType::lstm, false, 2))), "weight_ih weight_ch weight_hh bias_ih bias_hh");
    EXPECT_EQ(names(RecurrentCell(shape(CellType::gru, true))),
              "weight_ih weight_hh norm_ih.gain norm_ih.bias norm_hh.gain norm_hh.bias");
    EXPECT_EQ(names(RecurrentCell(shape(CellType::lstm, true, 2))),
              "weight_ih weight_ch weight_hh norm_ih.gain norm_ih.bias norm_hh.gain norm_hh.bias norm_ch.gain "
              "norm_ch.bias norm_cell.gain norm_cell.bias");
    EXPECT_EQ(names(RecurrentCell(shape(CellType::gru_cho, false, 2, 2))),
              "weight_ih weight_ch weight_hh bias_ih deep1.weight_hh deep1.bias_ih");
    EXPECT_EQ(names(RecurrentCell(shape(CellType::gru, true, 0, 2))),
              "weight_ih weight_hh norm_ih.gain norm_ih.bias norm_hh.gain norm_hh.bias deep1.weight_hh deep1.bias_ih "
              "deep1.norm_hh.gain deep1.norm_hh.bias");
}

TEST(RecurrentCell, SelectTakesRowsOfEveryPart) {
    const at::Tensor hidden = at::arange(6, at::kDouble).view({3, 2});
    const RecurrentState lstm{hidden, hidden + 10.0};
    const RecurrentState picked = lstm.select(at::tensor({2, 0, 2}, at::kLong));
    EXPECT_TRUE(picked.hidden.equal(at::tensor({4.0, 5.0, 0.0, 1.0, 4.0, 5.0}, at::kDouble).view({3, 2})));
    EXPECT_TRUE(picked.cell.equal(picked.hidden + 10.0));
    EXPECT_FALSE((RecurrentState{hidden, at::Tensor()}).select(at::tensor({0}, at::kLong)).cell.defined());
}

}  // namespace
}  // namespace softalign

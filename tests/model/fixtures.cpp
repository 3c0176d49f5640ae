#include "fixtures.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softalign {

namespace {

std::int64_t longest(const std::vector<Pair>& pairs, bool source) {
    std::size_t length = 0;
    for (const Pair& pair : pairs) {
        length = std::max(length, source ? pair.source.size() : pair.target.size());
    }
    return static_cast<std::int64_t>(length);
}

void append_row(std::vector<std::int64_t>& rows, std::vector<std::int64_t> row, std::int64_t width,
                std::int64_t filler) {
    row.resize(static_cast<std::size_t>(width), filler);
    rows.insert(rows.end(), row.begin(), row.end());
}

const char* tying_name(TiedEmbeddings tied) {
    return tied == TiedEmbeddings::none ? "untied" : (tied == TiedEmbeddings::target ? "target" : "all");
}

// number: spreads what has no axis of its own over the variants.
ModelConfig variant_config(CellType cell, Order order, AttentionType attention, bool layer_norm, bool deep,
                           TiedEmbeddings tied, int number) {
    ModelConfig config;
    config.embedding_size = 3;
    config.layer_norm = layer_norm;
    config.tied_embeddings = tied;
    config.attention.type = attention;
    config.attention.size = 3;
    config.encoder.cell = number % 5 == 4 ? (cell == CellType::gru ? CellType::lstm : CellType::gru) : cell;
    config.encoder.bidirectional = number % 4 != 3;
    config.encoder.hidden_size = config.encoder.bidirectional ? 3 : 6;
    config.encoder.layers = deep ? 2 : 1;
    config.encoder.residual = deep;
    config.decoder.cell = cell;
    config.decoder.layers = deep ? 2 : 1;
    config.decoder.residual = deep;
    config.decoder.hidden_size = attention == AttentionType::dot ? 6 : 5;
    set_order(config.decoder, order);
    constexpr InitialState initial_states[] = {InitialState::mean, InitialState::last, InitialState::zero};
    config.decoder.initial_state = initial_states[number % 3];
    config.decoder.readout_size = tied == TiedEmbeddings::none && number % 2 == 0 ? 4 : 0;
    return config;
}

}  // namespace

void set_order(DecoderConfig& decoder, Order order) {
    constexpr AttendWhen attend[] = {AttendWhen::before, AttendWhen::look_generate_update, AttendWhen::between,
                                     AttendWhen::after, AttendWhen::after};
    decoder.attend = attend[static_cast<int>(order)];
    decoder.input_feeding = order == Order::after_feeding;
}

TensorBatch make_tensors(const std::vector<Pair>& pairs, std::int64_t extra, std::int64_t filler) {
    Batch batch;
    batch.sentences = static_cast<std::int64_t>(pairs.size());
    batch.source_width = longest(pairs, true) + 1 + extra;
    batch.target_width = longest(pairs, false) + 1 + extra;
    for (const Pair& pair : pairs) {
        std::vector<std::int64_t> source = pair.source;
        source.push_back(eos_id);
        std::vector<std::int64_t> target_in = {bos_id};
        target_in.insert(target_in.end(), pair.target.begin(), pair.target.end());
        std::vector<std::int64_t> target_out = pair.target;
        target_out.push_back(eos_id);
        batch.source_lengths.push_back(static_cast<std::int64_t>(source.size()));
        batch.target_lengths.push_back(static_cast<std::int64_t>(target_out.size()));
        append_row(batch.source, std::move(source), batch.source_width, filler);
        append_row(batch.target_in, std::move(target_in), batch.target_width, filler);
        append_row(batch.target_out, std::move(target_out), batch.target_width, filler);
    }
    return to_tensors(batch, at::kCPU);
}

std::vector<Pair> sample_pairs() {
    return {{{5, 4, 7}, {8, 4}}, {{6}, {5, 5, 7, 4}}, {{8, 8, 5, 4, 6}, {6}}, {{}, {}}};
}

void randomize(Part& part, std::uint64_t seed) {
    const at::NoGradGuard no_grad;
    at::manual_seed(seed);
    for (auto& item : part.named_parameters()) {
        const std::string& name = item.key();
        const bool gain = name.size() >= 4 && name.compare(name.size() - 4, 4, "gain") == 0;
        item.value().copy_(at::randn(item.value().sizes(), at::kDouble) * 0.4 + (gain ? 1.0 : 0.0));
    }
}

namespace {

const char* plain_name(AttentionType type) {
    constexpr const char* names[] = {"additive", "dot", "general", "concat"};
    return type == AttentionType::none ? "none" : names[static_cast<int>(type)];
}

}  // namespace

std::vector<Variant> all_variants(CellType cell, Order order) {
    std::vector<Variant> result;
    int number = 0;
    for (const AttentionType attention : {AttentionType::additive, AttentionType::dot, AttentionType::general,
                                          AttentionType::concat, AttentionType::none}) {
        for (const TiedEmbeddings tied : {TiedEmbeddings::none, TiedEmbeddings::target, TiedEmbeddings::all}) {
            for (const bool deep : {false, true}) {
                for (const bool layer_norm : {false, true}) {
                    const std::string name = std::string(plain_name(attention)) + " " + tying_name(tied) +
                                             (deep ? " deep" : "") + (layer_norm ? " layer_norm" : "");
                    result.push_back({name, variant_config(cell, order, attention, layer_norm, deep, tied, number++)});
                }
            }
        }
    }
    return result;
}

VocabularySizes sample_sizes(const ModelConfig& config) {
    return config.tied_embeddings == TiedEmbeddings::all ? VocabularySizes{9, 9} : VocabularySizes{9, 11};
}

std::shared_ptr<Seq2Seq> random_model(const ModelConfig& config, std::uint64_t seed) {
    auto model = std::make_shared<Seq2Seq>(config, sample_sizes(config));
    model->to(at::kDouble);
    randomize(*model, seed);
    return model;
}

std::vector<at::Tensor> gradients_of(Part& part, const at::Tensor& objective) {
    take_gradients(part.parameters());
    objective.backward();
    return take_gradients(part.parameters());
}

double directional_error(const std::function<at::Tensor()>& scalar, Part& part, std::string* worst) {
    const std::vector<at::Tensor> analytic = gradients_of(part, scalar());
    double largest = 0.0;
    std::size_t i = 0;
    for (const auto& item : part.named_parameters()) {
        const at::Tensor direction = at::randn_like(analytic[i]);
        const at::Tensor unit = direction / direction.norm();
        const double error = relative_error(central_difference(scalar, item.value(), unit, 1e-6),
                                            (analytic[i] * unit).sum().item<double>());
        if (error > largest) {
            largest = error;
            if (worst != nullptr) {
                *worst = item.key();
            }
        }
        ++i;
    }
    return largest;
}

}  // namespace softalign

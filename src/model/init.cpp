#include "model/init.h"

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"

namespace softalign {

namespace {

constexpr double pi = 3.14159265358979323846;

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::uint64_t hash_name(const std::string& name) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a
    for (const char c : name) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    }
    return hash;
}

// Draws in double and on the CPU, so that the start does not depend on the device.
at::Tensor draw_uniform(at::IntArrayRef sizes, double half_width, Random& random) {
    at::Tensor values = at::empty(sizes, at::kDouble);
    double* data = values.data_ptr<double>();
    for (std::int64_t i = 0; i < values.numel(); ++i) {
        data[i] = (2.0 * random.uniform() - 1.0) * half_width;
    }
    return values;
}

// Box and Muller 1958.
at::Tensor draw_normal(at::IntArrayRef sizes, double deviation, Random& random) {
    at::Tensor values = at::empty(sizes, at::kDouble);
    double* data = values.data_ptr<double>();
    for (std::int64_t i = 0; i < values.numel(); ++i) {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
        data[i] = deviation * radius * std::cos(2.0 * pi * random.uniform());
    }
    return values;
}

at::Tensor draw_matrix(at::IntArrayRef sizes, const InitConfig& config, bool embedding, Random& random) {
    const auto in = static_cast<double>(sizes[1]);
    const auto out = static_cast<double>(sizes[0]);
    switch (config.weights) {
        case Initializer::uniform:
            return draw_uniform(sizes, config.scale, random);
        case Initializer::normal:
            return draw_normal(sizes, config.scale, random);
        case Initializer::xavier_uniform:
        case Initializer::xavier_normal:
            break;
    }
    if (embedding) {
        return draw_normal(sizes, config.scale / std::sqrt(in), random);
    }
    if (config.weights == Initializer::xavier_uniform) {
        return draw_uniform(sizes, config.scale * std::sqrt(6.0 / (in + out)), random);
    }
    return draw_normal(sizes, config.scale * std::sqrt(2.0 / (in + out)), random);
}

// Orthonormal rows by twice-repeated Gram-Schmidt of a normal matrix, without LAPACK.
at::Tensor draw_orthogonal(std::int64_t size, Random& random) {
    at::Tensor matrix = draw_normal({size, size}, 1.0, random);
    for (std::int64_t i = 0; i < size; ++i) {
        at::Tensor row = matrix[i];
        if (i > 0) {
            const at::Tensor above = matrix.narrow(0, 0, i);
            for (int pass = 0; pass < 2; ++pass) {
                row.sub_(at::mv(above.t(), at::mv(above, row)));
            }
        }
        row.div_(row.norm());
    }
    return matrix;
}

at::Tensor draw_recurrent(at::IntArrayRef sizes, const InitConfig& config, Random& random) {
    const std::int64_t hidden = sizes[1];
    std::vector<at::Tensor> blocks;
    for (std::int64_t gate = 0; gate < sizes[0] / hidden; ++gate) {
        blocks.push_back(config.recurrent == RecurrentInitializer::orthogonal
                             ? draw_orthogonal(hidden, random)
                             : draw_matrix({hidden, hidden}, config, false, random));
    }
    return at::cat(blocks, 0);
}

constexpr const char* attention_prefix = "decoder.attention.";

// Bahdanau et al. 2014, appendix B.1: the matrices from N(0, 0.001^2), the vector of the score 0.
at::Tensor draw_attention(const std::string& name, at::IntArrayRef sizes, Random& random) {
    return ends_with(name, "weight_score") ? at::zeros(sizes, at::kDouble) : draw_normal(sizes, 0.001, random);
}

}  // namespace

void initialize_parameters(torch::nn::Module& module, const InitConfig& config, std::uint64_t seed) {
    const at::NoGradGuard no_grad;
    for (auto& item : module.named_parameters()) {
        const std::string& name = item.key();
        at::Tensor& parameter = item.value();
        if (!parameter.is_non_overlapping_and_dense()) {
            parameter.set_data(at::empty(parameter.sizes(), parameter.options()));  // it was only declared
        }
        if (parameter.dim() < 2) {
            parameter.fill_(ends_with(name, "gain") ? 1.0 : 0.0);
            continue;
        }
        Random random(mix_key({seed, hash_name(name)}));
        if (ends_with(name, "weight_hh")) {
            parameter.copy_(draw_recurrent(parameter.sizes(), config, random));
        } else if (config.attention == AttentionInitializer::bahdanau && name.rfind(attention_prefix, 0) == 0) {
            parameter.copy_(draw_attention(name, parameter.sizes(), random));
        } else {
            parameter.copy_(draw_matrix(parameter.sizes(), config, ends_with(name, "embedding"), random));
        }
    }
}

}  // namespace softalign

#include "model/part.h"

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"

namespace softalign {

namespace {

constexpr double pi = 3.14159265358979323846;

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

at::Tensor draw_matrix(at::IntArrayRef sizes, const InitConfig& config, Random& random) {
    const auto in = static_cast<double>(sizes[1]);
    const auto out = static_cast<double>(sizes[0]);
    switch (config.weights) {
        case Initializer::uniform:
            return draw_uniform(sizes, config.scale, random);
        case Initializer::normal:
            return draw_normal(sizes, config.scale, random);
        case Initializer::xavier_uniform:
            return draw_uniform(sizes, config.scale * std::sqrt(6.0 / (in + out)), random);
        case Initializer::xavier_normal:
            break;
    }
    return draw_normal(sizes, config.scale * std::sqrt(2.0 / (in + out)), random);
}

at::Tensor draw_embedding(at::IntArrayRef sizes, const InitConfig& config, Random& random) {
    if (config.weights == Initializer::uniform || config.weights == Initializer::normal) {
        return draw_matrix(sizes, config, random);
    }
    return draw_normal(sizes, config.scale / std::sqrt(static_cast<double>(sizes[1])), random);
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

at::Tensor draw(at::IntArrayRef sizes, Role role, const InitConfig& config, Random& random) {
    const bool bahdanau = config.attention == AttentionInitializer::bahdanau;
    switch (role) {
        case Role::matrix:
        case Role::gates:
            break;
        case Role::recurrent:
            return config.recurrent == RecurrentInitializer::orthogonal ? draw_orthogonal(sizes[0], random)
                                                                        : draw_matrix(sizes, config, random);
        case Role::embedding:
            return draw_embedding(sizes, config, random);
        case Role::attention:
        case Role::attention_pair:
            return bahdanau ? draw_normal(sizes, 0.001, random) : draw_matrix(sizes, config, random);
        case Role::score:
            return bahdanau ? at::zeros(sizes, at::kDouble) : draw_matrix(sizes, config, random);
        case Role::bias:
            return at::zeros(sizes, at::kDouble);
        case Role::gain:
            return at::ones(sizes, at::kDouble);
    }
    return draw_matrix(sizes, config, random);
}

}  // namespace

Part::NamedParameters Part::named_parameters() const {
    NamedParameters parameters;
    for (const Declared& declared : declared_) {
        parameters.insert(declared.name, declared.parameter);
    }
    for (const auto& [part, inner] : parts_) {
        const std::string prefix = part + ".";
        for (auto& item : inner->named_parameters()) {
            parameters.insert(prefix + item.key(), std::move(item.value()));
        }
    }
    return parameters;
}

void Part::to(const at::TensorOptions& options) {
    const at::NoGradGuard no_grad;
    for (Declared& declared : declared_) {
        declared.parameter.set_data(declared.parameter.to(options));
    }
    for (const auto& item : parts_) {
        item.second->to(options);
    }
}

std::set<std::string> Part::matrices_used_by_rows() const {
    const std::set<Role> by_rows = {Role::matrix, Role::gates, Role::recurrent, Role::embedding, Role::attention};
    std::set<std::string> names;
    for (const Declared& declared : declared_) {
        if (by_rows.count(declared.role) > 0) {
            names.insert(declared.name);
        }
    }
    for (const auto& [part, inner] : parts_) {
        const std::string prefix = part + ".";
        for (const std::string& name : inner->matrices_used_by_rows()) {
            names.insert(prefix + name);
        }
    }
    return names;
}

// One number stands for all of them.
at::Tensor Part::declare(const std::string& name, at::IntArrayRef sizes, Role role, std::int64_t gates) {
    const at::Tensor number = at::full({1}, role == Role::gain ? 1.0F : 0.0F);
    const std::vector<std::int64_t> strides(sizes.size(), 0);
    at::Tensor values = at::from_blob(
        number.data_ptr(), sizes, strides, [number](void*) {}, at::kFloat);
    declared_.push_back({name, values.set_requires_grad(true), role, gates});
    return declared_.back().parameter;
}

void Part::initialize(const InitConfig& config, std::uint64_t seed, const std::string& prefix) {
    const at::NoGradGuard no_grad;
    for (auto& [name, parameter, role, gates] : declared_) {
        if (!parameter.is_non_overlapping_and_dense()) {
            parameter.set_data(at::empty(parameter.sizes(), parameter.options()));  // it was only declared
        }
        Random random(mix_key({seed, hash_text(prefix + name)}));
        for (const at::Tensor& gate : parameter.chunk(gates)) {
            gate.copy_(draw(gate.sizes(), role, config, random));
        }
    }
    for (const auto& [name, part] : parts_) {
        part->initialize(config, seed, prefix + name + ".");
    }
}

}  // namespace softalign

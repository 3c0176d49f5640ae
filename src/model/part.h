#pragma once

#include <ATen/ATen.h>
#include <torch/ordered_dict.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/grid.h"
#include "config/config.h"

namespace softalign {

// What a parameter is for, which decides how it is initialised.
enum class Role {
    matrix,
    gates,           // from an input to the gates of a recurrent unit: a matrix each, one below the other
    recurrent,       // the same from the state before: square matrices
    embedding,       // a row a word
    attention,       // a matrix of the decoder's attention
    attention_pair,  // two of them side by side
    score,           // the vector that turns the decoder's comparisons into scores
    bias,
    gain,  // of layer normalisation
};

// Declares a parameter of a part, under a name that is not taken in it.
using Declare = std::function<at::Tensor(const std::string& name, at::IntArrayRef sizes, Role role)>;

// What every piece of a model is: parameters with their roles, and smaller parts. A parameter is only declared at
// first: it takes no memory, and LibTorch refuses to write to it in place. So a model tells how large it is before it
// has weights, which initialize(), a file, or the vector that holds the weights of a training gives it.
//
// It is not LibTorch's Module: including that costs every file of the project seconds, and little of it would be used.
class Part {
public:
    using NamedParameters = torch::OrderedDict<std::string, at::Tensor>;

    Part() = default;
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    virtual ~Part() = default;

    // In the order declared, those of the part itself before those of its parts: `part.name`.
    NamedParameters named_parameters() const;
    std::vector<at::Tensor> parameters() const { return named_parameters().values(); }

    // Moves the parameters to a device, or converts them to a type.
    void to(const at::TensorOptions& options);

    // Initialises all parameters, each from (seed, name in named_parameters()) and by its role, so that adding one does
    // not change the others. Matrices follow config.weights; those of gates are drawn gate by gate, and the recurrent
    // ones are orthogonal if the configuration says so (Saxe et al. 2013); biases are 0, gains 1.
    //   uniform: U(-scale, scale); normal: N(0, scale^2); xavier_uniform: U(-a, a), a = scale sqrt(6 / (in + out));
    //   xavier_normal: N(0, 2 scale^2 / (in + out)) (Glorot and Bengio 2010). Embeddings under xavier: N(0, 1/E) with
    //   E the embedding size, since their "in" is a table, not a sum.
    // With config.attention bahdanau, matrices of the attention start from N(0, 0.001^2) and the vector of its scores
    // from 0 (Bahdanau et al. 2014, appendix B.1).
    void initialize(const InitConfig& config, std::uint64_t seed) { initialize(config, seed, ""); }

    // The names in named_parameters() of the matrices of which products and look-ups use whole rows, so that each row
    // may be rounded to int8 beforehand.
    std::set<std::string> matrices_used_by_rows() const;

protected:
    // `gates`: how many matrices stand one below the other, of the roles gates and recurrent.
    at::Tensor declare(const std::string& name, at::IntArrayRef sizes, Role role, std::int64_t gates = 1);

    // The same for what has parameters of this part without being a part.
    Declare declaring() {
        return [this](const std::string& name, at::IntArrayRef sizes, Role role) { return declare(name, sizes, role); };
    }

    template <typename Inner>
    std::shared_ptr<Inner> add_part(const std::string& name, std::shared_ptr<Inner> part) {
        parts_.emplace_back(name, part);
        return part;
    }

private:
    struct Declared {
        std::string name;
        at::Tensor parameter;
        Role role;
        std::int64_t gates;
    };

    void initialize(const InitConfig& config, std::uint64_t seed, const std::string& prefix);

    std::vector<Declared> declared_;
    std::vector<std::pair<std::string, std::shared_ptr<Part>>> parts_;
};

// The size of a batch: R rows of S source and T target positions, and how many words reach the output layer.
struct BatchShape {
    std::int64_t rows = 0;
    std::int64_t source = 0;
    std::int64_t target = 0;
    std::int64_t outputs = 0;
    std::vector<Grid> grids{};  // [R] of the source, where it is features

    std::int64_t sources() const { return rows * source; }
    std::int64_t targets() const { return rows * target; }
    std::int64_t pairs() const { return rows * source * target; }
};

// The matrix products of one part of a model, as floating-point operations of its forward pass: a product of [m,k] and
// [k,n] has 2mkn.
struct PartWork {
    std::string name;
    double forward = 0.0;
};

// Of `count` products with `numbers` numbers each.
inline double flop(std::int64_t count, std::int64_t numbers) {
    return 2.0 * static_cast<double>(count) * static_cast<double>(numbers);
}

// Of x W^T, where x has `rows` rows; 0 without a weight.
inline double flop(std::int64_t rows, const at::Tensor& weight) {
    return weight.defined() ? flop(rows, weight.numel()) : 0.0;
}

}  // namespace softalign

#pragma once

#include <cstdint>

#include "config/config.h"

namespace torch::nn {
class Module;
}

namespace softalign {

// Initialises the parameters of a module from (seed, parameter name), so that adding a parameter does not change the
// others. Matrices follow config.weights; recurrent matrices (weight_hh) are filled one square block at a time,
// orthogonal if the configuration says so (Saxe et al. 2013); biases are 0, layer normalisation gains 1.
//   uniform: U(-scale, scale); normal: N(0, scale^2); xavier_uniform: U(-a, a), a = scale sqrt(6 / (in + out));
//   xavier_normal: N(0, 2 scale^2 / (in + out)) (Glorot and Bengio 2010). Embeddings under xavier: N(0, 1/E) with
//   E the embedding size, since their "in" is a table, not a sum.
// With config.attention bahdanau the decoder's attention starts from N(0, 0.001^2), its weight_score from 0.
void initialize_parameters(torch::nn::Module& module, const InitConfig& config, std::uint64_t seed);

}  // namespace softalign

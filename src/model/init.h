#pragma once

#include <cstdint>

#include "config/config.h"

namespace torch::nn {
class Module;
}

namespace softalign {

// Fills the parameters of a module from (seed, name of the parameter): adding a parameter changes no other's start.
// Matrices as config.weights says; recurrent matrices (weight_hh) a square block at a time, orthogonal where asked for
// (Saxe et al. 2013); biases 0; gains of layer normalisation 1.
//   uniform: U(-scale, scale); normal: N(0, scale^2); xavier_uniform: U(-a, a), a = scale sqrt(6 / (in + out));
//   xavier_normal: N(0, 2 scale^2 / (in + out)) (Glorot and Bengio 2010). Embeddings under xavier: N(0, 1/E) with
//   E the embedding size, since their "in" is a table, not a sum.
// With config.attention bahdanau the decoder's attention starts from N(0, 0.001^2), its weight_score from 0.
void initialize_parameters(torch::nn::Module& module, const InitConfig& config, std::uint64_t seed);

}  // namespace softalign

#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/attention/attention.h"
#include "model/part.h"
#include "model/seq2seq.h"
#include "ops/differences.h"

namespace softalign {

// The special ids of the tests, as in docs/models.md.
constexpr std::int64_t bos_id = 2;
constexpr std::int64_t eos_id = 3;

// A sentence pair as pieces, without bos and eos.
struct Pair {
    std::vector<std::int64_t> source;
    std::vector<std::int64_t> target;
};

// The pairs as one padded batch, `extra` columns wider than need be on both sides; `filler` stands at the padding.
TensorBatch make_tensors(const std::vector<Pair>& pairs, std::int64_t extra = 0, std::int64_t filler = 0);

// Four pairs of unequal lengths over the ids 4..8.
std::vector<Pair> sample_pairs();

// Every parameter drawn anew: N(0, 0.4^2), gains of layer normalisation around 1. Unlike a true start no bias is 0, so
// that a bias at the wrong place shows.
void randomize(Part& part, std::uint64_t seed);

// Attention of every kind, small: each mechanism, the local ones with every score, both kinds of coverage.
struct NamedAttention {
    std::string name;
    AttentionConfig config;
};
std::vector<NamedAttention> all_attentions();

// The order of attention and update in the decoder.
enum class Order { before, look_generate_update, between, after, after_feeding };
void set_order(DecoderConfig& decoder, Order order);

struct Variant {
    std::string name;
    ModelConfig config;
};

// Variants that are tested together. The name is one word.
struct VariantGroup {
    std::string name;
    std::vector<Variant> variants;
};

// The plain scores, with and without layer normalisation, one layer and two with residual connections, every kind of
// tying; encoder directions, initial states and readout sizes are spread over them.
std::vector<Variant> all_variants(CellType cell, Order order);

// Transformers and convolutional encoders, by themselves and with recurrent parts.
std::vector<VariantGroup> groups_of_kinds();

// all_variants for GRU and LSTM in Luong's and Bahdanau's orders; every attention in every order that makes sense with
// it, cells and layers spread over them; every other part of a model on its own and in the combinations of the papers;
// and groups_of_kinds.
const std::vector<VariantGroup>& variant_groups();

// Vocabularies that fit sample_pairs: equal where the embeddings are shared.
VocabularySizes sample_sizes(const ModelConfig& config);

// A model in double with random parameters.
std::shared_ptr<Seq2Seq> random_model(const ModelConfig& config, std::uint64_t seed);

// The gradients of all parameters after objective.backward(), in the order of named_parameters(), zeros where none.
std::vector<at::Tensor> gradients_of(Part& part, const at::Tensor& objective);

// gradient_error() along one random direction a parameter of a part, with steps small enough for the sharp bends of
// layer normalisation over few elements; `worst`, if given, gets the name of the worst.
double directional_error(const std::function<at::Tensor()>& scalar, Part& part, std::string* worst);

}  // namespace softalign

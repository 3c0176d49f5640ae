#pragma once

#include <ATen/ATen.h>

#include <array>
#include <cstddef>
#include <vector>

#include "ops/packed_rows.h"
#include "ops/recurrent.h"
#include "ops/recurrent_units.h"

namespace softalign {

// What the forms of run_additive_decoder() share.

// The tensors of a decoder that have gradients.
template <typename Decoder>
auto tensors_of(Decoder& x) {
    return std::array{&x.projected,
                      &x.keys,
                      &x.values,
                      &x.start.hidden,
                      &x.start.cell,
                      &x.query,
                      &x.score,
                      &x.context,
                      &x.bias,
                      &x.norm.gain,
                      &x.norm.shift,
                      &x.first.weight,
                      &x.first.bias,
                      &x.first.norm.gain,
                      &x.first.norm.shift,
                      &x.unit.weight,
                      &x.unit.bias,
                      &x.unit.norm.gain,
                      &x.unit.norm.shift};
}

// Those tensors as an autograd function takes them, which has no undefined argument: without elements = none.
inline std::vector<at::Tensor> inputs_of(const AdditiveDecoder& decoder) {
    std::vector<at::Tensor> inputs;
    for (const at::Tensor* x : tensors_of(decoder)) {
        inputs.push_back(or_no_elements(*x, decoder.projected));
    }
    return inputs;
}

// And back.
inline AdditiveDecoder decoder_of(at::TensorList inputs) {
    AdditiveDecoder decoder;
    std::size_t next = 0;
    for (at::Tensor* x : tensors_of(decoder)) {
        const at::Tensor& input = inputs[next++];
        *x = input.numel() > 0 ? input : at::Tensor();
    }
    return decoder;
}

// What their backward passes return: the gradients of inputs_of(), and nothing for the layout and the packed weights.
inline std::vector<at::Tensor> gradients_of(const AdditiveDecoder& sum) {
    std::vector<at::Tensor> gradients;
    for (const at::Tensor* x : tensors_of(sum)) {
        gradients.push_back(*x);
    }
    gradients.resize(gradients.size() + 2);
    return gradients;
}

// The form for devices, of LibTorch's operations (ops/library_layer.h). REQUIRES: a GRU or an LSTM, and no norm.
AdditiveDecoderStates run_library_decoder(const AdditiveDecoder& decoder, const PackedRows& rows,
                                          const Execution& execution);

}  // namespace softalign

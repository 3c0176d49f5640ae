#pragma once

#include <string>

#include "model/seq2seq.h"
#include "storage/safetensors.h"

namespace softalign {

// Weights of which the matrices are rounded to int8. The rounded tensor NAME [N,K] is stored as int8, and the scales of
// its rows as NAME.scales [N] float32; the other tensors are float32.

// The weights of a model, rounded where it has matrices that are used by whole rows. REQUIRES: float32, on the CPU.
TensorFile quantized_weights(const Seq2Seq& model);

// Whether quantized_weights() made the file, by its metadata.
bool is_quantized(const TensorFile& file);

// The file with a float32 matrix in the place of every int8 tensor and its scales. Throws Error(model) for scales that
// do not fit their tensor; int8 tensors without scales are left as they are. `path` is for messages.
TensorFile with_restored_matrices(const TensorFile& file, const std::string& path);

}  // namespace softalign

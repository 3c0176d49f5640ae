#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/config.h"
#include "storage/safetensors.h"

namespace softalign {

// The arithmetic mean of each tensor over the files, accumulated in float64 and stored in the tensor's dtype. Integer
// tensors must be equal in all files. One file at a time is in memory, besides the sums. The metadata list the files.
// REQUIRES: at least one path. Throws Error(model): a file that cannot be read or has a weight that is not finite,
// or whose tensors differ from the first file's in names, shapes or dtypes.
TensorFile average_checkpoints(const std::vector<std::string>& paths);

// The `count` best of the files DIR/checkpoints/best-*.safetensors by validation.metric of DIR/config.yaml and the
// scores in the files' metadata, best first; 0 = all. Throws Error(model) if there are fewer.
std::vector<std::string> best_checkpoints(const std::string& model_directory, std::size_t count);

// Makes the model directory `directory`, whole or not at all: configuration, vocabularies and shortlist as in `source`,
// or `config` where that is given, and `weights` as model.safetensors. Throws Error(output) where something of that
// name exists, except an empty directory, or it cannot be written.
void write_model_like(const std::string& source, const std::string& directory, const TensorFile& weights,
                      const Config* config = nullptr);

}  // namespace softalign

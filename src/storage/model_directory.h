#pragma once

#include <ATen/ATen.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "model/seq2seq.h"
#include "storage/safetensors.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/tokenizer.h"

namespace softalign {

// A model directory: model.safetensors, config.yaml (resolved) and the vocabularies source.spm and target.spm, or
// joint.spm for one that serves both, or target.spm alone for a model of features. Self-contained and movable;
// docs/model_format.md describes it.
struct LoadedModel {
    Config config;
    std::shared_ptr<const Tokenizer> source_tokenizer;
    std::shared_ptr<const Tokenizer> target_tokenizer;
    std::shared_ptr<Seq2Seq> model;  // on the device, in evaluation mode, no gradients
};

// Paths of the parts.
std::string weights_path(const std::string& directory);
std::string config_path(const std::string& directory);
std::string joint_vocabulary_path(const std::string& directory);
std::string source_vocabulary_path(const std::string& directory);
std::string target_vocabulary_path(const std::string& directory);
std::string shortlist_path(const std::string& directory);  // optional; translate/ reads it

// Reads the config.yaml of a model directory; the corpora that it names need not exist. Throws Error(model) if the
// directory or its config.yaml does not exist.
Config load_model_config(const std::string& directory);

// What the model reads. Text if that cannot be told: loading the model will say what is wrong.
SourceType source_type_of(const std::string& directory);

// The vocabulary files of a model directory, in memory. The paths are those in the directory, where they need not exist
// yet. Of a joint vocabulary there is one file, else the source's and the target's; if the source is features, the
// target's alone.
using VocabularyFiles = std::vector<VocabularyBytes>;
VocabularyFiles read_vocabularies(const std::string& directory, SourceType type);

// source and target are the same object where the vocabulary is joint. The source of features is a NoText.
struct Tokenizers {
    std::shared_ptr<const Tokenizer> source;
    std::shared_ptr<const Tokenizer> target;
};
// REQUIRES: one file or two.
Tokenizers make_tokenizers(const VocabularyFiles& files, SourceType type, const SamplingOptions& sampling = {});
Tokenizers load_tokenizers(const std::string& directory, SourceType type = SourceType::text);

// What the source of a model of this configuration and these vocabularies has: its pieces, or numbers at a position.
VocabularySizes sizes_of(const ModelConfig& config, const Tokenizers& tokenizers);

// Throws Error(model), saying which part is missing or wrong (a tensor missing, unexpected, of the wrong shape or not
// finite) and what to do. `weights`: the file to load; empty = model.safetensors.
LoadedModel load_model(const std::string& directory, const at::Device& device, const std::string& weights = "",
                       FileAccess access = FileAccess::map);

// Saves the weights of a model by name. `metadata` is written unchanged; docs/model_format.md lists its keys.
void save_weights(const Seq2Seq& model, const std::string& path,
                  const std::map<std::string, std::string>& metadata = {});

// Checks of the files of a model directory before they are used. A directory may come from an untrusted source: it must
// not make the program read anything outside it, or wait.

// Throws Error(model) if `path`, a file in `directory`, is not a regular file (a FIFO would block, a device has no end)
// or is a symbolic link to outside the directory. REQUIRES: it exists.
void require_part(const std::string& directory, const std::string& path);

// A tensor's sizes as messages show them: "[512, 256]".
std::string sizes_text(at::IntArrayRef sizes);

// Throws Error(model), naming the tensor and the element, if an element is not finite. `path`: the tensor's file.
// Integer tensors always pass. REQUIRES: on the CPU and contiguous.
void require_finite(const std::string& path, const std::string& name, const at::Tensor& tensor);

// Throws Error(model) if `file`, read from `path`, is a checkpoint for train --resume: it has the weights under other
// names, beside the optimiser's state.
void require_weights_alone(const std::string& path, const TensorFile& file);

}  // namespace softalign

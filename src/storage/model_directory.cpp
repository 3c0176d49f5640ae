#include "storage/model_directory.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/version.h"
#include "config/load.h"
#include "storage/quantized.h"
#include "storage/safetensors.h"
#include "storage/safetensors_header.h"
#include "text/no_text.h"

namespace softalign {

namespace {

std::string path_in(const std::string& directory, const char* name) {
    return (std::filesystem::path(directory) / name).string();
}

bool exists(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

void require_directory(const std::string& directory) {
    std::error_code ignored;
    if (!exists(directory)) {
        throw Error(ExitCode::model, "no model directory " + directory +
                                         "; training writes one (checkpoints.directory in its config): check the path");
    }
    if (!std::filesystem::is_directory(directory, ignored)) {
        throw Error(ExitCode::model, directory + " is not a directory; name the model directory that training wrote");
    }
}

[[noreturn]] void part_missing(const std::string& directory, const std::string& part) {
    throw Error(ExitCode::model, "model directory " + directory + " has no " + part +
                                     "; copy the whole directory that training wrote, or let training finish its "
                                     "first validation");
}

void check_tensor(const std::string& path, const std::string& name, const at::Tensor& stored,
                  const at::Tensor& parameter) {
    if (stored.sizes() != parameter.sizes()) {
        throw Error(ExitCode::model, path + ": tensor " + printable(name) + " has the shape " +
                                         sizes_text(stored.sizes()) + ", the model needs " +
                                         sizes_text(parameter.sizes()) +
                                         "; weights, config.yaml and vocabularies must be of one training");
    }
    if (!stored.is_floating_point()) {
        throw Error(ExitCode::model,
                    path + ": tensor " + printable(name) + " is of dtype " + dtype_name(stored.scalar_type()) +
                        ", the model needs a floating-point one; the file is not of a softalign model");
    }
    require_finite(path, name, stored);
    let_go_of_mapped(stored.data_ptr(), stored.nbytes());  // most weights are packed and never used as they lie there
}

// The tensors of a file under the names of the model's parameters: all of them and no other, of their shapes, finite.
std::map<std::string, at::Tensor> stored_weights(const Seq2Seq& model, const TensorFile& file,
                                                 const std::string& path) {
    require_weights_alone(path, file);
    std::map<std::string, at::Tensor> stored(file.tensors.begin(), file.tensors.end());
    const auto parameters = model.named_parameters();
    for (const auto& item : parameters) {
        const auto found = stored.find(item.key());
        if (found == stored.end()) {
            throw Error(ExitCode::model, path + ": tensor " + printable(item.key()) +
                                             " is missing; weights and config.yaml must be of one training");
        }
        check_tensor(path, item.key(), found->second, item.value());
    }
    for (const auto& [name, tensor] : file.tensors) {
        if (!parameters.contains(name)) {
            throw Error(ExitCode::model, path + ": tensor " + printable(name) +
                                             " is not of this model; weights and config.yaml must be of one training");
        }
    }
    return stored;
}

// Lets the model use the tensors of the file as its weights, but for those that are not of the parameters' type or
// device.
void use_weights(Seq2Seq& model, const TensorFile& file, const std::string& path) {
    const auto stored = stored_weights(model, file, path);
    const at::NoGradGuard no_gradients;
    for (const auto& item : model.named_parameters()) {
        at::Tensor parameter = item.value();
        parameter.set_data(stored.at(item.key()).to(parameter.options()));
    }
}

// A model of the configuration, whose weights `file` is to have; it has none yet. Where it would be far larger than the
// file, this says so; of those that are a little too large the tensors tell more.
std::shared_ptr<Seq2Seq> model_beside(const TensorFile& file, const ModelConfig& config, const VocabularySizes& sizes,
                                      const std::string& path) {
    constexpr std::int64_t room = 1 << 24;
    std::int64_t numbers = 0;
    for (const auto& item : file.tensors) {
        numbers += item.second.numel();
    }
    auto model = std::make_shared<Seq2Seq>(config, sizes);
    if (model->parameter_count() > 2 * numbers + room) {
        throw Error(ExitCode::model, path + ": its tensors have " + std::to_string(numbers) +
                                         " numbers, and config.yaml and the vocabularies describe a model of far more; "
                                         "weights, config.yaml and vocabularies must be of one training");
    }
    return model;
}

VocabularyBytes vocabulary_in(const std::string& directory, const std::string& path) {
    require_part(directory, path);
    return read_vocabulary(path);
}

}  // namespace

std::string weights_path(const std::string& directory) {
    return path_in(directory, "model.safetensors");
}
std::string config_path(const std::string& directory) {
    return path_in(directory, "config.yaml");
}
std::string joint_vocabulary_path(const std::string& directory) {
    return path_in(directory, "joint.spm");
}
std::string source_vocabulary_path(const std::string& directory) {
    return path_in(directory, "source.spm");
}
std::string target_vocabulary_path(const std::string& directory) {
    return path_in(directory, "target.spm");
}
std::string shortlist_path(const std::string& directory) {
    return path_in(directory, "shortlist.txt");
}

Config load_model_config(const std::string& directory) {
    require_directory(directory);
    if (!exists(config_path(directory))) {
        part_missing(directory, "config.yaml");
    }
    require_part(directory, config_path(directory));
    return load_config(config_path(directory), {});
}

SourceType source_type_of(const std::string& directory) {
    try {
        return load_model_config(directory).data.source_type;
    } catch (const Error&) {
        return SourceType::text;
    }
}

VocabularyFiles read_vocabularies(const std::string& directory, SourceType type) {
    require_directory(directory);
    const bool joint = exists(joint_vocabulary_path(directory));
    const bool source = exists(source_vocabulary_path(directory));
    const bool target = exists(target_vocabulary_path(directory));
    if (type == SourceType::features) {
        if (joint || source) {
            throw Error(ExitCode::model,
                        "model directory " + directory + " has " + (joint ? "joint.spm" : "source.spm") +
                            ", and a model of features (data.source_type in its config.yaml) has target.spm alone; "
                            "remove the vocabulary that is not of this model");
        }
        if (!target) {
            part_missing(directory, "target.spm");
        }
        return {vocabulary_in(directory, target_vocabulary_path(directory))};
    }
    if (joint && (source || target)) {
        throw Error(ExitCode::model, "model directory " + directory +
                                         " has joint.spm and separate vocabularies as well; remove those that are not "
                                         "of this model");
    }
    if (joint) {
        return {vocabulary_in(directory, joint_vocabulary_path(directory))};
    }
    if (!source && !target) {
        part_missing(directory, "vocabulary (joint.spm, or source.spm and target.spm)");
    }
    if (!source) {
        part_missing(directory, "source.spm");
    }
    if (!target) {
        part_missing(directory, "target.spm");
    }
    return {vocabulary_in(directory, source_vocabulary_path(directory)),
            vocabulary_in(directory, target_vocabulary_path(directory))};
}

Tokenizers make_tokenizers(const VocabularyFiles& files, SourceType type, const SamplingOptions& sampling) {
    const auto tokenizer = [&](const VocabularyBytes& file) {
        return std::make_shared<const SentencePieceTokenizer>(file, sampling);
    };
    if (type == SourceType::features) {
        return {std::make_shared<const NoText>(), tokenizer(files.front())};
    }
    const auto source = tokenizer(files.front());
    return {source, files.size() > 1 ? tokenizer(files.back()) : source};
}

Tokenizers load_tokenizers(const std::string& directory, SourceType type) {
    return make_tokenizers(read_vocabularies(directory, type), type);
}

VocabularySizes sizes_of(const ModelConfig& config, const Tokenizers& tokenizers) {
    return {config.source.size > 0 ? config.source.size : tokenizers.source->size(), tokenizers.target->size()};
}

LoadedModel load_model(const std::string& directory, const at::Device& device, const std::string& weights,
                       FileAccess access) {
    LoadedModel loaded;
    loaded.config = load_model_config(directory);
    const SourceType type = loaded.config.data.source_type;
    if (type == SourceType::features && loaded.config.model.source.size == 0) {
        throw Error(ExitCode::model, config_path(directory) +
                                         ": data.source_type is features, and model.source.size is 0; training writes "
                                         "the size of the features there, copy the file that it wrote");
    }
    const Tokenizers tokenizers = load_tokenizers(directory, type);
    loaded.source_tokenizer = tokenizers.source;
    loaded.target_tokenizer = tokenizers.target;
    if (weights.empty()) {
        if (!exists(weights_path(directory))) {
            part_missing(directory, "model.safetensors");
        }
        require_part(directory, weights_path(directory));
    }
    const std::string path = weights.empty() ? weights_path(directory) : weights;
    const TensorFile file = with_restored_matrices(read_safetensors(path, access), path);
    loaded.model = model_beside(file, loaded.config.model, sizes_of(loaded.config.model, tokenizers), path);
    use_weights(*loaded.model, file, path);
    loaded.model->to(device);
    for (at::Tensor& parameter : loaded.model->parameters()) {
        parameter.set_requires_grad(false);
    }
    return loaded;
}

void save_weights(const Seq2Seq& model, const std::string& path, const std::map<std::string, std::string>& metadata) {
    TensorFile file;
    file.metadata = metadata;
    file.metadata["producer"] = producer();
    for (const auto& item : model.named_parameters()) {
        file.tensors.emplace_back(item.key(), item.value());
    }
    write_safetensors(path, file);
}

}  // namespace softalign

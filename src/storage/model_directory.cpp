#include "storage/model_directory.h"

#include <filesystem>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "base/version.h"
#include "config/load.h"
#include "storage/safetensors.h"
#include "storage/safetensors_header.h"

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

// "[512, 256]"
std::string shape_text(at::IntArrayRef sizes) {
    std::ostringstream text;
    text << sizes;
    return text.str();
}

void check_tensor(const std::string& path, const std::string& name, const at::Tensor& stored,
                  const at::Tensor& parameter) {
    if (stored.sizes() != parameter.sizes()) {
        throw Error(ExitCode::model, path + ": tensor " + printable(name) + " has the shape " +
                                         shape_text(stored.sizes()) + ", the model needs " +
                                         shape_text(parameter.sizes()) +
                                         "; weights, config.yaml and vocabularies must be of one training");
    }
    if (!stored.is_floating_point()) {
        throw Error(ExitCode::model,
                    path + ": tensor " + printable(name) + " is of dtype " + dtype_name(stored.scalar_type()) +
                        ", the model needs a floating-point one; the file is not of a softalign model");
    }
}

// The tensors of a file under the names of the model's parameters: all of them and no other, of their shapes.
std::map<std::string, at::Tensor> stored_weights(const Seq2Seq& model, const std::string& path) {
    const TensorFile file = read_safetensors(path);
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

// Lets the model read its weights where the file is mapped, but for those that are not of the parameters' type or
// device.
void use_weights(Seq2Seq& model, const std::string& path) {
    const auto stored = stored_weights(model, path);
    const at::NoGradGuard no_gradients;
    for (const auto& item : model.named_parameters()) {
        at::Tensor parameter = item.value();
        parameter.set_data(stored.at(item.key()).to(parameter.options()));
    }
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
    return load_config(config_path(directory), {});
}

Tokenizers load_tokenizers(const std::string& directory, const SamplingOptions& sampling) {
    require_directory(directory);
    const bool joint = exists(joint_vocabulary_path(directory));
    const bool source = exists(source_vocabulary_path(directory));
    const bool target = exists(target_vocabulary_path(directory));
    if (joint && (source || target)) {
        throw Error(ExitCode::model, "model directory " + directory +
                                         " has joint.spm and separate vocabularies as well; remove those that are not "
                                         "of this model");
    }
    if (joint) {
        const auto tokenizer = load_tokenizer(joint_vocabulary_path(directory), sampling);
        return {tokenizer, tokenizer};
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
    return {load_tokenizer(source_vocabulary_path(directory), sampling),
            load_tokenizer(target_vocabulary_path(directory), sampling)};
}

LoadedModel load_model(const std::string& directory, const at::Device& device, const std::string& weights) {
    LoadedModel loaded;
    loaded.config = load_model_config(directory);
    const Tokenizers tokenizers = load_tokenizers(directory);
    loaded.source_tokenizer = tokenizers.source;
    loaded.target_tokenizer = tokenizers.target;
    if (weights.empty() && !exists(weights_path(directory))) {
        part_missing(directory, "model.safetensors");
    }
    loaded.model = std::make_shared<Seq2Seq>(loaded.config.model,
                                             VocabularySizes{tokenizers.source->size(), tokenizers.target->size()});
    use_weights(*loaded.model, weights.empty() ? weights_path(directory) : weights);
    loaded.model->to(device);
    loaded.model->eval();
    for (at::Tensor& parameter : loaded.model->parameters()) {
        parameter.set_requires_grad(false);
    }
    return loaded;
}

void save_weights(const Seq2Seq& model, const std::string& path, const std::map<std::string, std::string>& metadata) {
    TensorFile file;
    file.metadata = metadata;
    file.metadata["producer"] = std::string("softalign ") + version();
    for (const auto& item : model.named_parameters()) {
        file.tensors.emplace_back(item.key(), item.value());
    }
    write_safetensors(path, file);
}

void set_weights(Seq2Seq& model, const std::string& path) {
    const auto stored = stored_weights(model, path);
    const at::NoGradGuard no_gradients;
    for (const auto& item : model.named_parameters()) {
        at::Tensor parameter = item.value();
        parameter.copy_(stored.at(item.key()));
    }
}

}  // namespace softalign

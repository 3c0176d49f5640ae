#include "storage/average.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

#include "base/atomic_file.h"
#include "base/counted.h"
#include "base/error.h"
#include "base/strings.h"
#include "base/version.h"
#include "config/load.h"
#include "config/metric.h"
#include "storage/model_directory.h"
#include "storage/quantized.h"
#include "storage/safetensors_header.h"

namespace softalign {

namespace {

namespace fs = std::filesystem;

TensorFile read_checkpoint(const std::string& path) {
    TensorFile file = read_safetensors(path);
    require_weights_alone(path, file);
    if (is_quantized(file)) {
        throw Error(ExitCode::model, path +
                                         ": its weights are rounded to int8; average those in float32, and then use "
                                         "softalign quantize");
    }
    if (file.tensors.empty()) {
        throw Error(ExitCode::model, path + ": there are no tensors in it; name a checkpoint that training wrote");
    }
    for (const auto& [name, tensor] : file.tensors) {
        require_finite(path, name, tensor);
    }
    return file;
}

// `first` with its path, against which the others are checked.
struct Reference {
    const std::string& path;
    const TensorFile& file;
};

[[noreturn]] void differ(const std::string& path, const std::string& name, const std::string& how) {
    throw Error(ExitCode::model,
                path + ": tensor " + printable(name) + " " + how + "; only checkpoints of one model can be averaged");
}

void add_file(const std::string& path, const Reference& first, std::vector<at::Tensor>& sums) {
    const TensorFile file = read_checkpoint(path);
    std::map<std::string, at::Tensor> tensors(file.tensors.begin(), file.tensors.end());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const auto& [name, expected] = first.file.tensors[i];
        const auto found = tensors.find(name);
        if (found == tensors.end()) {
            differ(path, name, "is missing, which " + first.path + " has");
        }
        const at::Tensor& tensor = found->second;
        if (tensor.sizes() != expected.sizes()) {
            differ(path, name, "has another shape than in " + first.path);
        }
        if (tensor.scalar_type() != expected.scalar_type()) {
            differ(path, name, "has another dtype than in " + first.path);
        }
        if (tensor.is_floating_point()) {
            sums[i].add_(tensor.to(at::kDouble));
        } else if (!tensor.equal(expected)) {
            differ(path, name, "holds other integers than in " + first.path);
        }
        tensors.erase(found);
    }
    if (!tensors.empty()) {
        differ(path, tensors.begin()->first, "is not in " + first.path);
    }
}

// A score of a checkpoint, of which more is better.
std::optional<double> goodness(const std::map<std::string, std::string>& metadata, Metric metric) {
    const auto found = metadata.find(metric_key(metric == Metric::perplexity ? Metric::cross_entropy : metric));
    if (found == metadata.end()) {
        return std::nullopt;
    }
    try {
        const double score = std::stod(found->second);
        return higher_is_better(metric) ? score : -score;  // perplexity falls and rises with the cross-entropy
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

struct Scored {
    double goodness;
    std::string path;
};

std::vector<Scored> scored_checkpoints(const std::string& folder, Metric metric) {
    std::vector<Scored> found;
    std::error_code absent;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, absent)) {
        const std::string name = entry.path().filename().string();
        if (!starts_with(name, "best-") || entry.path().extension() != ".safetensors") {
            continue;
        }
        const std::string path = entry.path().string();
        const auto score = goodness(read_safetensors_metadata(path), metric);
        if (!score) {
            throw Error(ExitCode::model, path +
                                             ": its metadata have no score of validation.metric; name the files to "
                                             "average instead of --model");
        }
        found.push_back({*score, path});
    }
    return found;
}

void copy_file(const std::string& from, const std::string& to) {
    std::ifstream input(from, std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(input)), std::istreambuf_iterator<char>());
    if (!input) {
        throw Error(ExitCode::model, from + ": cannot read; check its permissions");
    }
    write_file_atomically(to, content);
}

}  // namespace

TensorFile average_checkpoints(const std::vector<std::string>& paths) {
    const TensorFile first = read_checkpoint(paths.front());
    std::vector<at::Tensor> sums;
    for (const auto& item : first.tensors) {
        sums.push_back(item.second.is_floating_point() ? item.second.to(at::kDouble, false, true) : item.second);
    }
    for (std::size_t i = 1; i < paths.size(); ++i) {
        add_file(paths[i], {paths.front(), first}, sums);
    }
    TensorFile mean;
    mean.metadata["producer"] = producer();
    for (std::size_t i = 0; i < paths.size(); ++i) {
        mean.metadata["averaged"] += (i == 0 ? "" : " ") + terminal_text(fs::path(paths[i]).filename().string());
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const auto& [name, tensor] = first.tensors[i];
        mean.tensors.emplace_back(name, tensor.is_floating_point()
                                            ? sums[i].div(static_cast<double>(paths.size())).to(tensor.scalar_type())
                                            : tensor);
    }
    return mean;
}

std::vector<std::string> best_checkpoints(const std::string& model_directory, std::size_t count) {
    const Config config = load_model_config(model_directory);
    const std::string folder = (fs::path(model_directory) / "checkpoints").string();
    std::vector<Scored> found = scored_checkpoints(folder, config.validation.metric);
    if (found.empty()) {
        throw Error(ExitCode::model, folder +
                                         " has no checkpoints best-*.safetensors, which training writes when it "
                                         "validates; name the files to average instead of --model");
    }
    if (found.size() < count) {
        throw Error(ExitCode::model, folder + " has " + counted(found.size(), "checkpoint") +
                                         " best-*.safetensors, not " + std::to_string(count) +
                                         "; checkpoints.keep_best in the training's config says how many are kept");
    }
    std::sort(found.begin(), found.end(), [](const Scored& a, const Scored& b) {  // of equal ones the earlier
        return std::make_tuple(-a.goodness, a.path.size(), a.path) <
               std::make_tuple(-b.goodness, b.path.size(), b.path);
    });
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < (count > 0 ? count : found.size()); ++i) {
        paths.push_back(found[i].path);
    }
    return paths;
}

void write_model_like(const std::string& source, const std::string& directory, const TensorFile& weights,
                      const Config* config) {
    AtomicDirectory model(directory);
    if (config != nullptr) {
        write_file_atomically(config_path(model.temporary()), to_yaml(*config));
    } else {
        copy_file(config_path(source), config_path(model.temporary()));
    }
    for (const auto& path_of :
         {joint_vocabulary_path, source_vocabulary_path, target_vocabulary_path, shortlist_path}) {
        if (fs::exists(path_of(source))) {
            require_part(source, path_of(source));
            copy_file(path_of(source), path_of(model.temporary()));
        }
    }
    write_safetensors(weights_path(model.temporary()), weights);
    model.commit();
}

}  // namespace softalign

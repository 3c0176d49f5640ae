#include "train/start_model.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "storage/quantized.h"
#include "storage/safetensors.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/tokenizer.h"

namespace softalign {

namespace {

namespace fs = std::filesystem;

// Where the pieces of a vocabulary are in another one.
struct SharedPieces {
    std::vector<std::int64_t> mine;
    std::vector<std::int64_t> theirs;  // as many
    std::int64_t all = 0;              // pieces of mine
    std::int64_t all_theirs = 0;
};

SharedPieces shared_pieces(const Tokenizer& mine, const Tokenizer& theirs) {
    const auto places = ids_by_piece(theirs);
    // By what they are for, whatever they are called. One without padding pads with the end of the sentence.
    std::map<std::int64_t, std::int64_t> special;
    special[mine.special().pad] = theirs.special().pad;
    special[mine.special().unk] = theirs.special().unk;
    special[mine.special().bos] = theirs.special().bos;
    special[mine.special().eos] = theirs.special().eos;
    SharedPieces shared;
    shared.all = mine.size();
    shared.all_theirs = theirs.size();
    for (std::int32_t id = 0; id < mine.size(); ++id) {
        const auto by_role = special.find(id);
        const auto by_name = places.find(mine.piece(id));
        if (by_role != special.end() || by_name != places.end()) {
            shared.mine.push_back(id);
            shared.theirs.push_back(by_role != special.end() ? by_role->second : by_name->second);
        }
    }
    return shared;
}

// Tensors with a row for each piece, and where tied models have these.
std::vector<std::string> rows_by_piece(const std::string& name) {
    static const std::map<std::string, std::vector<std::string>> tables = {
        {"source_embedding", {"source_embedding"}},
        {"target_embedding", {"target_embedding", "source_embedding"}},
        {"output_weight", {"output_weight", "target_embedding", "source_embedding"}},
        {"output_bias", {"output_bias"}},
        {"lexical_output_weight", {"lexical_output_weight"}},
    };
    const auto found = tables.find(name);
    return found == tables.end() ? std::vector<std::string>() : found->second;
}

class StartModel {
public:
    StartModel(const Config& config, const Tokenizers& tokenizers)
        : directory_(config.training.start_from), path_(weights_path(directory_)) {
        require_start_model(config);
        require_part(directory_, path_);
        file_ = read_safetensors(path_);
        require_weights_alone(path_, file_);
        if (is_quantized(file_)) {
            throw Error(ExitCode::model,
                        path_ +
                            ": its weights are rounded to int8, and training starts from float32; name in "
                            "training.start_from the model that softalign quantize was given");
        }
        for (const auto& [name, tensor] : file_.tensors) {
            require_finite(path_, name, tensor);
            stored_[name] = tensor;
        }
        const SourceType type = config.data.source_type;
        const Tokenizers theirs = load_tokenizers(directory_, type);
        target_ = shared_pieces(*tokenizers.target, *theirs.target);
        if (type == SourceType::text) {
            source_ = shared_pieces(*tokenizers.source, *theirs.source);
        }
        joint_ = tokenizers.source == tokenizers.target && theirs.source == theirs.target;
    }

    // What a tensor of the model begins with: `drawn`, with what the start model has for it.
    at::Tensor taken(const std::string& name, const at::Tensor& drawn) {
        const std::vector<std::string> tables = rows_by_piece(name);
        if (tables.empty()) {
            const at::Tensor& tensor = found(name, {name}, drawn);
            require_shape(name, tensor, drawn.sizes().vec(), drawn);
            return tensor;
        }
        const SharedPieces& pieces = name == "source_embedding" ? source_ : target_;
        const at::Tensor& tensor = found(name, tables, drawn);
        std::vector<std::int64_t> sizes = drawn.sizes().vec();
        sizes.front() = pieces.all_theirs;
        require_shape(name, tensor, sizes, drawn);
        at::Tensor result = drawn.to(at::kCPU, at::kFloat, false, true);
        result.index_copy_(0, at::tensor(pieces.mine, at::kLong),
                           tensor.to(at::kFloat).index_select(0, at::tensor(pieces.theirs, at::kLong)));
        return result;
    }

    void report() const {
        const auto count = [](const SharedPieces& pieces, const char* of) {
            return std::to_string(pieces.mine.size()) + " of " + std::to_string(pieces.all) + " " + of + "pieces";
        };
        const std::string pieces = joint_             ? count(target_, "")
                                   : source_.all == 0 ? count(target_, "target ")
                                                      : count(source_, "source ") + " and " + count(target_, "target ");
        const auto update = file_.metadata.find("update");
        spdlog::info("weights from {}{}: those of {}", directory_,
                     update == file_.metadata.end() ? "" : " (update " + terminal_text(update->second) + ")", pieces);
        std::string left;
        for (const auto& entry : stored_) {
            left += used_.count(entry.first) > 0 ? "" : (left.empty() ? "" : ", ") + terminal_text(entry.first);
        }
        if (!left.empty()) {
            spdlog::warn("{}: tensors that this model has no place for: {}", directory_, left);
        }
    }

private:
    const at::Tensor& found(const std::string& name, const std::vector<std::string>& names, const at::Tensor& drawn) {
        for (const std::string& candidate : names) {
            const auto place = stored_.find(candidate);
            if (place != stored_.end()) {
                used_.insert(candidate);
                return place->second;
            }
        }
        throw misfit(name, drawn, "that model has none of this name");
    }

    void require_shape(const std::string& name, const at::Tensor& tensor, const std::vector<std::int64_t>& sizes,
                       const at::Tensor& drawn) const {
        if (tensor.sizes() != sizes || !tensor.is_floating_point()) {
            throw misfit(
                name, drawn,
                "that model's is " + sizes_text(tensor.sizes()) + (tensor.is_floating_point() ? "" : " of integers"));
        }
    }

    Error misfit(const std::string& name, const at::Tensor& drawn, const std::string& why) const {
        return {ExitCode::configuration, "training.start_from: the tensor " + name + ", here " +
                                             sizes_text(drawn.sizes()) + ", does not fit " + directory_ + ": " + why +
                                             "; give this model the keys of model in " + config_path(directory_)};
    }

    std::string directory_;
    std::string path_;
    TensorFile file_;
    std::map<std::string, at::Tensor> stored_;
    std::set<std::string> used_;
    SharedPieces source_;
    SharedPieces target_;
    bool joint_ = false;
};

}  // namespace

void require_start_model(const Config& config) {
    const std::string& directory = config.training.start_from;
    std::error_code absent;
    if (fs::equivalent(directory, config.checkpoints.directory, absent)) {
        throw Error(ExitCode::configuration,
                    "training.start_from and checkpoints.directory are both " + directory +
                        "; go on with that run with --resume, or train in another checkpoints.directory");
    }
    try {
        const Config theirs = load_model_config(directory);
        if (theirs.data.source_type != config.data.source_type) {
            throw Error(ExitCode::configuration, "data.source_type is another than in " + config_path(directory));
        }
        if (!fs::exists(weights_path(directory), absent)) {
            throw Error(ExitCode::model, directory +
                                             " has no model.safetensors; let its training finish its first "
                                             "validation");
        }
    } catch (const Error& error) {
        throw Error(error.code(), "training.start_from: " + std::string(error.what()));
    }
}

VocabularyFiles vocabularies_of_start_model(const Config& config, const std::string& directory) {
    require_start_model(config);
    VocabularyFiles files = read_vocabularies(config.training.start_from, config.data.source_type);
    if (config.model.tied_embeddings == TiedEmbeddings::all && files.size() > 1) {
        throw Error(
            ExitCode::configuration,
            "vocabulary.from_start_model: model.tied_embeddings: all needs one vocabulary for both sides, and " +
                config.training.start_from + " has two; use target or none");
    }
    for (VocabularyBytes& file : files) {
        const std::string path = (fs::path(directory) / fs::path(file.path).filename()).string();
        file = under_path(std::move(file), path);
    }
    return files;
}

void take_start_weights(const Config& config, const Tokenizers& tokenizers, const FlatParameters& parameters) {
    StartModel start(config, tokenizers);
    std::vector<at::Tensor> taken;
    auto parts = parameters.parts(parameters.values());
    taken.reserve(parts.size());
    for (const auto& [name, part] : parts) {
        taken.push_back(start.taken(name, part));
    }
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i].second.copy_(taken[i]);
    }
    start.report();
}

}  // namespace softalign

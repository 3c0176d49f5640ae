#include "serve/served_model.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/stopwatch.h"
#include "base/strings.h"
#include "document/sentences.h"
#include "platform/device.h"
#include "platform/memory.h"
#include "storage/model_directory.h"
#include "storage/safetensors.h"
#include "translate/word_boundaries.h"

namespace softalign {

namespace {

// Letters, digits and hyphens, a language first: "en", "zh-Hans", "pt-BR" (BCP 47).
bool is_language(const std::string& code) {
    const std::size_t end = std::min(code.find('-'), code.size());
    const std::string letters = "abcdefghijklmnopqrstuvwxyz";
    return (end == 2 || end == 3) && code.find_first_not_of(letters) >= end && code.size() <= 35 &&
           code.find_first_not_of(letters + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == std::string::npos &&
           code.back() != '-' && code.find("--") == std::string::npos;
}

// How well a code stands for a language: 2 if it is its code in letters of any case, 1 if one of the two is a variant
// of the other ("en-US" and "en", "zh" and "zh-Hans") or none is asked for, else 0.
int fit_of(const std::string& asked, const std::string& code) {
    const std::string one = lower_ascii(asked);
    const std::string other = lower_ascii(code);
    const std::string& longer = one.size() > other.size() ? one : other;
    const std::size_t size = std::min(one.size(), other.size());
    const bool is_variant = one.compare(0, size, other, 0, size) == 0 && (size == 0 || longer[size] == '-');
    return one == other ? 2 : is_variant ? 1 : 0;
}

}  // namespace

bool is_variant_of(const std::string& asked, const std::string& code) {
    return fit_of(asked, code) > 0;
}

namespace {

// "de" of "data/train.de.gz"; empty if it is none.
std::string language_of_file(const std::string& path) {
    std::filesystem::path name(path);
    if (name.extension() == ".gz") {
        name = name.stem();
    }
    const std::string ending = name.extension().string();
    const std::string code = ending.empty() ? "" : ending.substr(1);
    return is_language(code) ? code : "";
}

LoadedEnsemble load(const ModelName& name, const ServingMachine& machine) {
    const Config config = load_model_config(name.directory);
    if (config.data.source_type == SourceType::features) {
        throw Error(ExitCode::usage, name.directory + " reads features; the server translates text only");
    }
    // Read, not mapped: who replaces a model may overwrite its file in place.
    return load_ensemble({{name.directory, "", FileAccess::read}},
                         pick_device(machine.device.value_or(config.runtime.device)), {});
}

// Sentences are no longer than those that the model was trained on.
DocumentReader new_reader(const ModelName& name, const LoadedEnsemble& loaded) {
    const Config config = loaded.config();
    DocumentOptions options;
    options.locale = is_locale(name.source) ? name.source : "en";
    options.longest =
        static_cast<std::size_t>(std::min(config.data.max_source_length, config.search.max_source_length));
    return DocumentReader({loaded.ensemble.source(), loaded.ensemble.target()}, options);
}

}  // namespace

ModelName parse_model_name(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string pair = equals == std::string::npos ? "" : text.substr(0, equals);
    if (equals != std::string::npos && !std::filesystem::exists(text)) {
        const std::size_t middle = std::min(pair.find(pair.find(':') == std::string::npos ? '-' : ':'), pair.size());
        const std::string source = pair.substr(0, middle);
        const std::string target = middle < pair.size() ? pair.substr(middle + 1) : "";
        if (equals + 1 == text.size()) {
            throw Error(ExitCode::usage, "--model " + text + " names no directory; write en-de=DIR");
        }
        if (!is_language(source) || !is_language(target)) {
            throw Error(ExitCode::usage, "--model " + text + ": \"" + pair +
                                             "\" is not a language pair; write en-de=DIR, or zh-Hans:en=DIR");
        }
        return {source, target, text.substr(equals + 1)};
    }
    const Config config = load_model_config(text);
    ModelName name{"", "", text};
    if (!config.data.train_source.empty() && !config.data.train_target.empty()) {
        name.source = language_of_file(config.data.train_source.front());
        name.target = language_of_file(config.data.train_target.front());
    }
    if (name.source.empty() || name.target.empty()) {
        throw Error(ExitCode::usage, "--model " + text +
                                         ": the names of the texts it was trained on do not end in the codes of "
                                         "languages; name them: --model en-de=" +
                                         text);
    }
    return name;
}

ServedModel::ServedModel(ModelName name, const ServingMachine& machine)
    : name_(std::move(name)),
      loaded_(load(name_, machine)),
      readers_{Reader{new_reader(name_, loaded_)}, Reader{new_reader(name_, loaded_)}},
      packed_(std::make_shared<PackedWeights>(
          pick_precision(machine.precision.value_or(loaded_.config().runtime.precision), loaded_.ensemble.device()))),
      whole_words_(std::make_shared<const WordBoundaries>(word_boundaries(loaded_.ensemble.target()))) {}

std::vector<std::vector<Translation>> ServedModel::translate(const std::vector<TranslationRequest>& sentences,
                                                             const TranslateOptions& options) const {
    return BatchTranslator(loaded_.ensemble, options, pool_, packed_).translate(sentences);
}

SourceDocument ServedModel::read(TranslationRequest text, const TextForm& form) const {
    for (Reader& one : readers_) {
        const std::unique_lock<std::mutex> lock(one.in_use, std::try_to_lock);
        if (lock.owns_lock()) {
            return one.reader.read(std::move(text), form);
        }
    }
    const std::lock_guard<std::mutex> lock(readers_.back().in_use);
    return readers_.back().reader.read(std::move(text), form);
}

ServedModels::ServedModels(std::vector<ModelName> names, const ServingMachine& machine)
    : names_(std::move(names)), machine_(machine) {
    for (const ModelName& name : names_) {
        if (std::any_of(models_.begin(), models_.end(),
                        [&](const Model& other) { return other->name().pair() == name.pair(); })) {
            throw Error(ExitCode::usage, "--model is given twice for " + name.pair() +
                                             "; name the languages of each: --model en-de=DIR --model de-en=DIR");
        }
        const Stopwatch watch;
        models_.push_back(std::make_shared<const ServedModel>(name, machine_));
        spdlog::info("{}: {} ({:.2f} s)", name.pair(), name.directory, watch.seconds());
    }
}

std::vector<ServedModels::Model> ServedModels::all() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return models_;
}

ServedModels::Model ServedModels::find(const std::string& source, const std::string& target) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    Model found;
    int best = 0;
    for (const Model& model : models_) {
        const int of_source = fit_of(source, model->name().source);
        const int of_target = fit_of(target, model->name().target);
        const int fit = of_source > 0 && of_target > 0 ? of_source + of_target : 0;
        if (fit > 0 && fit >= best) {
            found = fit > best ? model : nullptr;
            best = fit;
        }
    }
    return found;
}

std::size_t ServedModels::reload() {
    std::size_t replaced = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        try {
            const Stopwatch watch;
            Model loaded = std::make_shared<const ServedModel>(names_[i], machine_);
            {
                const std::lock_guard<std::mutex> lock(mutex_);
                models_[i].swap(loaded);
            }
            loaded.reset();
            return_freed_memory();
            ++replaced;
            spdlog::info("{}: {} loaded again ({:.2f} s)", names_[i].pair(), names_[i].directory, watch.seconds());
        } catch (const std::exception& error) {
            spdlog::error("{}: not loaded again, and the present model stays: {}", names_[i].pair(), error.what());
        }
    }
    return replaced;
}

}  // namespace softalign

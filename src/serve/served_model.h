#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/precision.h"
#include "config/config.h"
#include "ops/packed_weights.h"
#include "platform/worker_pool.h"
#include "translate/batch_translator.h"
#include "translate/document_reader.h"
#include "translate/ensemble.h"
#include "translate/translate_options.h"

namespace softalign {

// What the model directory of a pair of languages is called: "en-de=DIR", "zh-Hans:en=DIR", or "DIR" alone if the names
// of its training texts end in the languages (train.en, train.de.gz).
struct ModelName {
    std::string source;  // codes of the languages
    std::string target;
    std::string directory;

    std::string pair() const { return source + "-" + target; }
};

// Whether a code that is asked for stands for a language: it is its code, in letters of any case, or a variant of it
// ("en-US" for "en"), or the language is a variant of it ("zh" for "zh-Hans"). An empty code stands for any.
bool is_variant_of(const std::string& asked, const std::string& code);

// Throws Error(usage) for codes that are none, Error(model) as load_model_config does, and if the languages are neither
// given nor found.
ModelName parse_model_name(const std::string& text);

// Where models run.
struct ServingMachine {
    std::optional<DeviceChoice> device;  // unset: as the model's configuration says
    std::optional<Precision> precision;
};

// A model that translates for several threads at the same time.
class ServedModel {
public:
    // Throws like load_ensemble, and Error(usage) for a model of features.
    ServedModel(ModelName name, const ServingMachine& machine);

    const ModelName& name() const { return name_; }
    const Ensemble& ensemble() const { return loaded_.ensemble; }
    const SearchConfig& search() const { return loaded_.config().search; }
    // Of its target vocabulary, for the terms of glossaries.
    const std::shared_ptr<const WordBoundaries>& whole_words() const { return whole_words_; }

    // Translates up to a batch of sentences on the calling thread. Throws like BatchTranslator::translate.
    std::vector<std::vector<Translation>> translate(const std::vector<TranslationRequest>& sentences,
                                                    const TranslateOptions& options) const;

    // Divides a text into sentences, by the rules of the model's source language. May be called by several threads.
    // Throws like DocumentReader.
    SourceDocument read(TranslationRequest text, const TextForm& form) const;

private:
    ModelName name_;
    LoadedEnsemble loaded_;
    struct Reader {
        DocumentReader reader;
        std::mutex in_use{};
    };
    // Of the two threads that read, that of the connections must not wait for a long text of the other.
    mutable std::array<Reader, 2> readers_;
    std::shared_ptr<WorkerPool> pool_ = std::make_shared<WorkerPool>(1);
    std::shared_ptr<PackedWeights> packed_;
    std::shared_ptr<const WordBoundaries> whole_words_;
};

// The models of a server, one for each pair of languages.
class ServedModels {
public:
    using Model = std::shared_ptr<const ServedModel>;

    // Loads them. Throws like ServedModel, and Error(usage) for two models of one pair.
    ServedModels(std::vector<ModelName> names, const ServingMachine& machine);

    // In the order in which they were named.
    std::vector<Model> all() const;

    // The one that fits best: for the codes in letters of any case, else for variants of them ("en-US" for "en", "zh"
    // for "zh-Hans"). An empty code stands for any. Null where none fits, or several equally well.
    Model find(const std::string& source, const std::string& target) const;

    // Loads all of them again. One that does not load is logged as an error, and the present one stays; one that is
    // replaced is gone with the last request that uses it. Returns how many were replaced.
    std::size_t reload();

private:
    std::vector<ModelName> names_;
    ServingMachine machine_;
    mutable std::mutex mutex_;
    std::vector<Model> models_;
};

}  // namespace softalign

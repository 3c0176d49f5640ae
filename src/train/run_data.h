#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/batch_stream.h"
#include "data/corpus.h"
#include "model/seq2seq.h"
#include "ops/loss.h"
#include "platform/worker_pool.h"
#include "storage/model_directory.h"

namespace softalign {

// Everything a run reads: vocabularies and corpora.
struct RunData {
    VocabularyFiles vocabularies;
    Tokenizers tokenizers;
    SpecialIdPair special;
    std::unique_ptr<Corpus> train;
    std::unique_ptr<Corpus> valid;           // null without validation data
    std::vector<std::string> valid_sources;  // raw lines or names of arrays, for translation
    std::vector<std::string> valid_references;

    std::int64_t depth = 0;  // model.source.size

    VocabularySizes sizes() const;
};

// How the labels of this data are smoothed; the spread is on `device`.
Smoothing smoothing_of(const TrainingConfig& training, const RunData& data, const at::Device& device);

// How the training corpus is cut into batches.
BatchPlanOptions plan_options(const Config& config);

// The vocabularies of a new run in `directory`: trained on the training text, or read from the given models, or
// from the model to start from. Writes nothing.
VocabularyFiles make_vocabularies(const Config& config, const std::string& directory);

// REQUIRES: `config` is resolved (train/resolve.h). Reads the corpora, into files in `directory` with data.on_disk;
// logs what was read and what was dropped, and why. The pool, if there is one, encodes text.
RunData load_run_data(const Config& config, VocabularyFiles vocabularies, const std::string& directory,
                      WorkerPool* pool = nullptr);

}  // namespace softalign

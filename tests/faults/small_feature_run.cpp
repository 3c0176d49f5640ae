#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "data/npy_files.h"
#include "faults/small_run.h"
#include "storage/model_directory.h"
#include "text/trained_vocabulary.h"
#include "train/trainer.h"
#include "translate/batch_translator.h"

namespace softalign::faults {

namespace {

// [N,2,3,1]
void write_pictures(const std::string& path, std::int64_t count) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count * 6));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::uint8_t>(41 * i + i / 6);
    }
    write_npy(path, {count, 2, 3, 1}, bytes);
}

}  // namespace

void SmallFeatureRun::prepare() const {
    write_pictures(path("train.npy"), 4);
    write_pictures(path("valid.npy"), 1);
    std::ofstream(path("train.tgt")) << "a cd\nef\ngh a\nb b\n";
    std::ofstream(path("valid.tgt")) << "cd a\n";
    train_vocabulary({path("train.tgt")}, VocabularyConfig(), 14, path("given.spm"), BadLine::error);
}

Config SmallFeatureRun::config(const std::string& name) const {
    Config config;
    config.data.source_type = SourceType::features;
    config.data.train_source = {path("train.npy")};
    config.data.train_target = {path("train.tgt")};
    config.data.valid_source = path("valid.npy");
    config.data.valid_target = path("valid.tgt");
    config.vocabulary.target_model = path("given.spm");
    config.model.embedding_size = 4;
    config.model.encoder.type = EncoderType::transformer;
    config.model.encoder.hidden_size = 4;
    config.model.decoder.type = DecoderType::transformer;
    config.model.decoder.hidden_size = 4;
    config.model.transformer.heads = 2;
    config.model.transformer.feed_forward_size = 4;
    config.model.dropout.attention = 0.2;
    config.training.batch_size = 2;
    config.training.shards = 1;
    config.training.max_updates = 3;
    config.search.max_length = 4;
    config.validation.unit = IntervalUnit::updates;
    config.validation.every = 2;
    config.validation.patience = 0;
    config.validation.metric = Metric::cross_entropy;
    config.checkpoints.directory = path(name);
    config.checkpoints.keep_last = 1;
    config.checkpoints.keep_best = 2;
    config.report.html = false;
    config.runtime.workers = 1;
    config.runtime.log_level = LogLevel::error;
    return config;
}

void SmallFeatureRun::finish(const std::string& name) const {
    train(config(name), true);
}

void SmallFeatureRun::translate(const std::string& name) const {
    const LoadedModel loaded = load_model(path(name), at::Device(at::kCPU));
    TranslateOptions options;
    options.workers = 1;
    best_texts(*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer, {path("train.npy[1]")}, options);
}

}  // namespace softalign::faults

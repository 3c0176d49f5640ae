#include "train/run_data.h"

#include <spdlog/spdlog.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "data/pair_size.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/train_vocabulary.h"

namespace softalign {

namespace fs = std::filesystem;

namespace {

// Given vocabularies are read once as models, so that what is no model is refused before it is copied.
void copy_vocabulary(const std::string& from, const std::string& to) {
    load_tokenizer(from);
    std::ifstream file(from, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file || bytes.empty()) {
        throw Error(ExitCode::data, from + ": cannot be read; check the path and its permissions");
    }
    write_file_atomically(to, bytes);
}

void train_one(const Config& config, const std::vector<std::string>& files, std::int64_t size,
               const std::string& path) {
    const TrainedVocabulary trained = train_vocabulary(files, config.vocabulary, size, path, config.data.on_bad_line);
    spdlog::info("vocabulary {}: {} pieces from {} sentences", path, trained.size, trained.sentences);
}

void report_corpus(const char* name, const CorpusReport& report, const DataConfig& limits) {
    spdlog::info("{}: {} sentence pairs, {} source and {} target tokens", name, report.kept, report.source_tokens,
                 report.target_tokens);
    const std::int64_t dropped = report.lines - report.kept;
    if (dropped > 0) {
        spdlog::info(
            "{}: {} of {} pairs dropped: {} with an empty side, {} longer than {} source or {} target pieces, {} over "
            "the "
            "length ratio, {} not UTF-8",
            name, dropped, report.lines, report.empty, report.too_long, limits.max_source_length,
            limits.max_target_length, report.ratio, report.bad_encoding);
    }
}

// Validation drops no pair, so that its figures are of the whole text.
void check_sizes(const Corpus& valid, const std::string& file) {
    for (std::int64_t i = 0; i < valid.size(); ++i) {
        const std::int64_t source = valid.source_length(i);
        const std::int64_t target = valid.target_length(i);
        if (is_too_large(static_cast<std::size_t>(source), static_cast<std::size_t>(target))) {
            throw Error(ExitCode::data, file + ":" + std::to_string(valid.line(i)) + ": " + std::to_string(source) +
                                            " source and " + std::to_string(target) +
                                            " target pieces are too many to validate on; split the line into sentences "
                                            "in both files");
        }
    }
}

}  // namespace

VocabularySizes RunData::sizes() const {
    return {tokenizers.source->size(), tokenizers.target->size()};
}

BatchPlanOptions plan_options(const TrainingConfig& training) {
    BatchPlanOptions options;
    options.batch_size = training.batch_size;
    options.unit = training.batch_unit;
    options.sort_window = training.sort_window;
    options.seed = training.seed;
    return options;
}

void make_vocabularies(const Config& config, const std::string& directory) {
    const std::string joint = joint_vocabulary_path(directory);
    const std::string source = source_vocabulary_path(directory);
    const std::string target = target_vocabulary_path(directory);
    if (fs::exists(joint) || (fs::exists(source) && fs::exists(target))) {
        return;
    }
    const VocabularyConfig& vocabulary = config.vocabulary;
    if (!vocabulary.source_model.empty()) {
        const bool one = vocabulary.target_model.empty() || vocabulary.target_model == vocabulary.source_model;
        copy_vocabulary(vocabulary.source_model, one ? joint : source);
        if (!one) {
            copy_vocabulary(vocabulary.target_model, target);
        }
        return;
    }
    if (vocabulary.joint) {
        std::vector<std::string> files = config.data.train_source;
        files.insert(files.end(), config.data.train_target.begin(), config.data.train_target.end());
        train_one(config, files, vocabulary.size, joint);
        return;
    }
    train_one(config, config.data.train_source, vocabulary.size, source);
    train_one(config, config.data.train_target, vocabulary.target_size > 0 ? vocabulary.target_size : vocabulary.size,
              target);
}

RunData load_run_data(const Config& config, const std::string& directory) {
    RunData data;
    const bool sampling = config.vocabulary.sampling_alpha > 0.0;
    data.tokenizers =
        load_tokenizers(directory, SamplingOptions{config.vocabulary.sampling_alpha, config.vocabulary.sampling_nbest});
    data.special = special_ids(*data.tokenizers.source, *data.tokenizers.target);
    data.train = load_corpus(config.data.train_source, config.data.train_target, *data.tokenizers.source,
                             *data.tokenizers.target, config.data, {sampling, config.data.on_disk ? directory : ""});
    report_corpus("training data", data.train->report(), config.data);
    if (!config.data.valid_source.empty()) {
        DataConfig no_limits;
        no_limits.max_source_length = 0;
        no_limits.max_target_length = 0;
        data.valid = load_corpus({config.data.valid_source}, {config.data.valid_target}, *data.tokenizers.source,
                                 *data.tokenizers.target, no_limits, {});
        check_sizes(*data.valid, config.data.valid_source);
        report_corpus("validation data", data.valid->report(), no_limits);
        data.valid_sources = read_lines(config.data.valid_source);
        data.valid_references = read_lines(config.data.valid_target);
    }
    return data;
}

}  // namespace softalign

#include "train/run_data.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "base/error.h"
#include "data/corpus_cache.h"
#include "data/corpus_side.h"
#include "data/file_chain.h"
#include "data/parallel_lines.h"
#include "data/source_lines.h"
#include "document/placeholders.h"
#include "storage/model_directory.h"
#include "text/placeholder_pieces.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/tags.h"
#include "text/train_vocabulary.h"
#include "train/run_directory.h"
#include "train/start_model.h"

namespace softalign {

namespace {

VocabularyBytes given(const std::string& from, const std::string& path) {
    return under_path(read_vocabulary(from), path);
}

VocabularyBytes trained(const Config& config, const std::vector<std::string>& files, std::int64_t size,
                        const std::string& path) {
    spdlog::info("training vocabulary {} on {}", path, fmt::join(files, ", "));  // minutes for a large text
    TrainedVocabulary vocabulary = make_vocabulary(files, config.vocabulary, size, config.data.on_bad_line);
    spdlog::info("vocabulary {}: {} pieces from {} sentences", path, vocabulary.size, vocabulary.sentences);
    return {path, std::move(vocabulary.bytes)};
}

void report_size(const char* name, const CorpusReport& report) {
    spdlog::info("{}: {} sentence pairs, {} source and {} target tokens{}", name, report.kept, report.source_tokens,
                 report.target_tokens, report.from_cache ? " (from data.cache)" : "");
}

void report_training_data(const CorpusReport& report, const DataConfig& limits) {
    report_size("training data", report);
    std::string reasons;
    const auto add = [&reasons](std::int64_t pairs, const std::string& what) {
        if (pairs > 0) {
            reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", pairs, what);
        }
    };
    add(report.empty, "with an empty side");
    add(report.too_long,
        fmt::format("longer than {} source or {} target pieces", limits.max_source_length, limits.max_target_length));
    add(report.ratio, "over the length ratio");
    add(report.bad_encoding, "not UTF-8");
    if (!reasons.empty()) {
        spdlog::info("training data: {} of {} pairs dropped: {}", report.lines - report.kept, report.lines, reasons);
    }
}

// Of each pair of files, where they are not all the same.
void report_parts(const CorpusReport& report, const DataConfig& data) {
    if (data.weights.empty() && data.tags.empty()) {
        return;
    }
    bool any = false;
    for (std::size_t part = 0; part < report.ends.size(); ++part) {
        const std::int64_t pairs = report.ends[part] - (part == 0 ? 0 : report.ends[part - 1]);
        const double in_epoch = static_cast<double>(pairs) * (data.weights.empty() ? 1.0 : data.weights[part]);
        const bool tagged = !data.tags.empty() && !data.tags[part].empty();
        spdlog::info("training data: {}: {} sentence pairs, {:.0f} in an epoch{}", data.train_source[part], pairs,
                     std::floor(in_epoch), tagged ? ", tagged " + data.tags[part] : "");
        any = any || in_epoch >= 1.0;
    }
    if (!any) {
        throw Error(ExitCode::configuration,
                    "data.weights are so low that an epoch may have no sentence pair; raise one of them");
    }
}

void report_validation_data(const CorpusReport& report) {
    report_size("validation data", report);
    if (report.empty > 0) {
        spdlog::info(
            "validation data: {} of {} pairs {} an empty side; the scores of the translations count them, the "
            "cross-entropy does "
            "not",
            report.empty, report.lines, report.empty == 1 ? "has" : "have");
    }
}

// Validation has no limits of length, so that its figures are of the whole text.
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
    return {depth > 0 ? depth : tokenizers.source->size(), tokenizers.target->size()};
}

Smoothing smoothing_of(const TrainingConfig& training, const RunData& data, const at::Device& device) {
    if (training.label_smoothing == 0.0 || training.label_smoothing_over == SmoothingOver::all) {
        return training.label_smoothing;
    }
    const std::vector<bool>& pieces = data.train->report().target_pieces;
    at::Tensor spread = at::zeros({data.tokenizers.target->size()}, at::kFloat);
    auto* probability = spread.data_ptr<float>();
    std::copy(pieces.begin(), pieces.end(), probability);
    probability[data.special.target_eos] = 1.0F;
    return {training.label_smoothing, (spread / spread.sum()).to(device)};
}

BatchPlanOptions plan_options(const Config& config) {
    const TrainingConfig& training = config.training;
    BatchPlanOptions options;
    options.weights = config.data.weights;
    options.batch_size = training.batch_size;
    options.unit = training.batch_unit;
    options.sort_window = training.sort_window;
    options.seed = training.seed;
    return options;
}

namespace {

// Before a vocabulary is trained, which takes minutes for a large text.
void require_equal_sides(const DataConfig& data) {
    const bool checked = data.on_bad_line == BadLine::error;  // which may be why there are more lines or fewer
    for (const auto& [source_files, target_files] : parts_of(data.train_source, data.train_target)) {
        FileChain source(source_files, data.source_type);
        FileChain target(target_files);
        if (source.count_to_end(checked) != target.count_to_end(checked)) {
            throw unequal_sides(source.says(), target.says());
        }
    }
}

VocabularyFiles untagged_vocabularies(const Config& config, const std::string& directory) {
    const std::string joint = joint_vocabulary_path(directory);
    const std::string source = source_vocabulary_path(directory);
    const std::string target = target_vocabulary_path(directory);
    const VocabularyConfig& vocabulary = config.vocabulary;
    if (vocabulary.from_start_model) {
        return vocabularies_of_start_model(config, directory);
    }
    const bool has_features = config.data.source_type == SourceType::features;
    if (has_features && !vocabulary.target_model.empty()) {
        return {given(vocabulary.target_model, target)};
    }
    if (!vocabulary.source_model.empty()) {
        const bool one = vocabulary.target_model.empty() || vocabulary.target_model == vocabulary.source_model;
        if (one) {
            return {given(vocabulary.source_model, joint)};
        }
        return {given(vocabulary.source_model, source), given(vocabulary.target_model, target)};
    }
    require_equal_sides(config.data);
    if (has_features) {
        return {trained(config, config.data.train_target, vocabulary.size_of_target(), target)};
    }
    if (vocabulary.joint) {
        std::vector<std::string> files = config.data.train_source;
        files.insert(files.end(), config.data.train_target.begin(), config.data.train_target.end());
        return {trained(config, files, vocabulary.size, joint)};
    }
    return {trained(config, config.data.train_source, vocabulary.size, source),
            trained(config, config.data.train_target, vocabulary.size_of_target(), target)};
}

}  // namespace

VocabularyFiles make_vocabularies(const Config& config, const std::string& directory) {
    require_unlike_words(config.data.tags);
    VocabularyFiles files = untagged_vocabularies(config, directory);
    const std::vector<std::string> held = placeholders(static_cast<std::size_t>(config.vocabulary.placeholders));
    for (VocabularyBytes& file : files) {
        file = with_tags(std::move(file), held);
    }
    files.front() = with_tags(std::move(files.front()), config.data.tags);  // that of the source
    return files;
}

namespace {

// The placeholders that both vocabularies have, whoever put them there.
std::size_t placeholders_of(const Config& config, const Tokenizers& tokenizers) {
    if (config.data.source_type == SourceType::features) {
        return 0;
    }
    const std::size_t count = count_placeholders(*tokenizers.source, *tokenizers.target);
    if (count > 0 && !config.data.alignments.empty()) {
        throw Error(ExitCode::configuration,
                    "the vocabulary has placeholders, which exclude data.alignments: its links count words that "
                    "placeholders stand for; give another vocabulary or no alignments");
    }
    return count;
}

}  // namespace

RunData load_run_data(const Config& config, VocabularyFiles vocabularies, const std::string& directory,
                      WorkerPool* pool) {
    RunData data;
    const bool sampling = config.vocabulary.sampling_alpha > 0.0;
    data.vocabularies = std::move(vocabularies);
    data.tokenizers = make_tokenizers(data.vocabularies, config.data.source_type,
                                      {config.vocabulary.sampling_alpha, config.vocabulary.sampling_nbest});
    data.special = special_ids(*data.tokenizers.source, *data.tokenizers.target);
    data.depth = config.model.source.size;
    CorpusStorage storage{sampling, config.data.on_disk ? directory : ""};
    storage.rewrite = placeholder_rewriting(placeholders_of(config, data.tokenizers));
    storage.cache = config.data.cache;
    for (const VocabularyBytes& file : data.vocabularies) {
        const std::uint32_t sum = crc32c(file.bytes.data(), file.bytes.size());
        storage.made_with += digest_text(file.bytes.size(), sum) + "; ";
    }
    if (pool != nullptr) {
        storage.in_parallel = [pool](std::int64_t count, const std::function<void(std::int64_t)>& task) {
            pool->run(count, [&task](std::int64_t i, int /*worker*/) { task(i); });
        };
    }
    data.train = load_corpus(config.data.train_source, config.data.train_target, *data.tokenizers.source,
                             *data.tokenizers.target, config.data, storage, data.depth);
    report_training_data(data.train->report(), config.data);
    report_parts(data.train->report(), config.data);
    if (!config.data.valid_source.empty()) {
        DataConfig no_limits;
        no_limits.source_type = config.data.source_type;
        no_limits.max_source_length = 0;
        no_limits.max_target_length = 0;
        CorpusStorage in_memory;
        in_memory.rewrite = storage.rewrite;
        data.valid = load_corpus({config.data.valid_source}, {config.data.valid_target}, *data.tokenizers.source,
                                 *data.tokenizers.target, no_limits, in_memory, data.depth);
        check_sizes(*data.valid, config.data.valid_source);
        report_validation_data(data.valid->report());
        data.valid_sources = read_sources(config.data.valid_source, config.data.source_type);
        data.valid_references = read_lines(config.data.valid_target);
        for (std::size_t i = 0; storage.rewrite && i < data.valid_sources.size(); ++i) {
            storage.rewrite(data.valid_sources[i], data.valid_references[i]);
        }
    }
    return data;
}

}  // namespace softalign

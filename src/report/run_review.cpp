#include "report/run_review.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "config/schema.h"
#include "config/yaml_tree.h"
#include "data/corpus.h"
#include "data/source_lines.h"
#include "journal/progress.h"
#include "platform/device.h"
#include "report/run_history.h"
#include "storage/model_directory.h"

namespace softalign {

namespace fs = std::filesystem;

namespace {

// What `part` does, or why it cannot be done as a problem of the run.
template <typename Part>
void attempt(ReportRun& run, const std::string& what, Part part) {
    try {
        part();
    } catch (const std::exception& error) {
        const std::string reason = error.what();
        run.problems.push_back(what + ": " + reason.substr(0, reason.find('\n')));
    }
}

std::string metrics_path(const std::string& directory) {
    return (fs::path(directory) / "metrics.jsonl").string();
}

// As it is, whether or not it can be read as a configuration; nothing where it is larger than one may be.
std::string config_text(const std::string& directory) {
    const std::string path = config_path(directory);
    std::error_code fault;
    if (!fs::exists(path, fault)) {
        return "";
    }
    require_part(directory, path);
    if (fs::file_size(path, fault) > max_yaml_size) {
        return "";
    }
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<ReportSetting> settings_of(const Config& config) {
    const Config defaults;
    std::vector<ReportSetting> settings;
    for (const Key& key : schema()) {
        settings.push_back(
            {key.path, format_value(key.get(config), key.type), format_value(key.get(defaults), key.type)});
    }
    return settings;
}

void add_best(ReportRun& run, const RunHistory& log) {
    const LoggedValidation* best = log.best();
    if (best == nullptr) {
        return;
    }
    for (const LoggedScore& score : best->scores) {
        run.facts.push_back({"Validation " + score.metric, fmt::format("{:.2f}", score.score), score.signature});
    }
    if (best->cross_entropy) {
        run.facts.push_back({"Validation loss", fmt::format("{:.4f}", *best->cross_entropy),
                             best->perplexity ? fmt::format("perplexity {:.2f}", *best->perplexity) : ""});
    }
    run.facts.push_back({"Best model", "update " + grouped(static_cast<std::int64_t>(std::min(best->update, 1e15))),
                         best->epoch ? fmt::format("epoch {:g}", *best->epoch) : ""});
}

void add_log(ReportRun& run, const RunHistory& log) {
    run.curves = log.curves;
    run.problems.insert(run.problems.end(), log.problems.begin(), log.problems.end());
    add_best(run, log);
    if (log.updates > 0.0) {
        run.facts.push_back({"Updates", grouped(static_cast<std::int64_t>(std::min(log.updates, 1e15))),
                             log.epochs > 0.0 ? fmt::format("in {:g} epochs", log.epochs) : ""});
        run.facts.push_back(
            {"Training time", format_duration(std::min(log.minutes * 60.0, 1e12)),
             log.mean_speed() > 0.0
                 ? grouped(static_cast<std::int64_t>(std::min(log.mean_speed(), 1e15))) + " target pieces/s"
                 : ""});
    }
}

std::string choice_text(const Config& config, const std::string& key) {
    return std::get<std::string>(find_key(key)->get(config));
}

std::string architecture(const Config& config) {
    const EncoderConfig& encoder = config.model.encoder;
    const bool recurrent = encoder.type == EncoderType::recurrent;
    const bool transforms = config.model.decoder.type == DecoderType::transformer;
    const std::string layers =
        encoder.type == EncoderType::none
            ? "no encoder"
            : fmt::format("{}, {} x {}{}", choice_text(config, recurrent ? "model.encoder.cell" : "model.encoder.type"),
                          encoder.layers, encoder.hidden_size,
                          recurrent && encoder.bidirectional ? ", both directions" : "");
    return fmt::format(
        "{}; {}", layers,
        transforms ? fmt::format("transformer, {} x {}", config.model.decoder.layers, config.model.decoder.hidden_size)
                   : "attention " + choice_text(config, "model.attention.type"));
}

// What the configuration of a run names is its validation text, and not something to wait for or without an end.
void require_file(const std::string& path) {
    std::error_code fault;
    if (fs::exists(path, fault) && !fs::is_regular_file(path, fault)) {
        throw Error(ExitCode::data, path + " is not a regular file");
    }
}

ReviewText text_of(const Config& config, const ReviewOptions& options) {
    const bool own = options.source.empty();
    const std::string source = own ? config.data.valid_source : options.source;
    const std::string references = own ? config.data.valid_target : options.references;
    if (own) {
        require_file(source);
        require_file(references);
    }
    ReviewText text{fs::path(source).filename().string(), read_sources(source, config.data.source_type), {}, 0};
    text.lines = text.sources.size();
    if (!references.empty()) {
        text.references = read_lines(references);
        if (text.references.size() != text.sources.size()) {
            throw Error(ExitCode::data, source + " has " + counted(text.sources.size(), "line") + ", " + references +
                                            " has " + std::to_string(text.references.size()));
        }
    }
    const auto limit = static_cast<std::size_t>(options.sentences);
    text.sources.resize(std::min(text.sources.size(), limit));
    text.references.resize(std::min(text.references.size(), limit));
    return text;
}

TranslateOptions search_options(const Config& config, const ReviewOptions& options, const at::Device& device) {
    TranslateOptions search{config.search};
    search.workers = worker_count(options.workers.value_or(config.runtime.workers), device);
    search.precision = pick_precision(options.precision.value_or(config.runtime.precision), device);
    search.keep_attention = true;
    search.keep_words = true;
    return search;
}

// Says in `run` what it leaves out.
std::vector<ReviewedTranslation> translations_of(const LoadedModel& loaded, const ReviewText& text,
                                                 const TranslateOptions& search, std::size_t picture_bytes,
                                                 ReportRun& run) {
    BatchTranslator translator(*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer, search);
    const TokenizerPair tokenizers{*loaded.source_tokenizer, *loaded.target_tokenizer};
    std::vector<ReviewedTranslation> best;
    std::size_t bytes = 0;
    std::int64_t left_out = 0;
    translator.translate(text.sources, [&](const std::vector<std::vector<Translation>>& part) {
        for (const std::vector<Translation>& found : part) {
            std::optional<AttentionPicture>& picture = best.emplace_back(found.front(), tokenizers).picture;
            bytes += picture ? bytes_of(*picture) : 0;
            if (picture && bytes > picture_bytes) {
                picture.reset();
                ++left_out;
            }
        }
    });
    if (left_out > 0) {
        run.problems.push_back(fmt::format(
            "The attention of {} of {} sentences is not shown: that of those before them takes {} MiB, which is all "
            "that a report keeps; --sentences takes fewer.",
            grouped(left_out), grouped(static_cast<std::int64_t>(best.size())), picture_bytes >> 20));
    }
    return best;
}

void add_vocabularies(RunReview& review, const std::string& directory) {
    const SourceType type = review.config ? review.config->data.source_type : SourceType::text;
    const Tokenizers tokenizers = load_tokenizers(directory, type);
    review.run.vocabularies = vocabularies_of(tokenizers);
    if (!review.text.sources.empty() && type == SourceType::text) {
        review.run.vocabularies.push_back(
            text_figures("Source text: " + review.text.name, *tokenizers.source, review.text.sources));
    }
    if (!review.text.references.empty()) {
        review.run.vocabularies.push_back(text_figures("Its references", *tokenizers.target, review.text.references));
    }
}

void add_translations(RunReview& review, const std::string& directory, const ReviewOptions& options) {
    const Config& config = *review.config;
    const at::Device device = pick_device(options.device.value_or(config.runtime.device));
    const LoadedModel loaded = load_model(directory, device);
    review.run.facts.push_back({"Parameters", grouped(loaded.model->parameter_count()), architecture(config)});
    if (!review.text.sources.empty()) {
        review.translations =
            RunTranslations{0, translations_of(loaded, review.text, search_options(config, options, device),
                                               options.picture_bytes, review.run)};
    }
}

void read_text(RunReview& review, const ReviewOptions& options) {
    const Config& config = *review.config;
    if (options.sentences == 0) {
        return;
    }
    const auto read = [&] {
        review.text = text_of(config, options);
        if (review.text.sources.empty()) {
            review.run.problems.push_back(review.text.name + " has no sentences, so no translations are shown.");
        }
    };
    if (!options.source.empty()) {
        read();  // its faults are the command line's, not the run's
        return;
    }
    if (config.data.valid_source.empty()) {
        review.run.problems.push_back(
            "The configuration names no validation text (data.valid_source), so no translations "
            "are shown; softalign report --source FILE --references FILE takes another text.");
        return;
    }
    attempt(review.run, "The text to translate cannot be read, so no translations are shown", read);
}

}  // namespace

void require_run(const std::string& directory) {
    std::error_code fault;
    if (!fs::is_directory(directory, fault)) {
        throw Error(ExitCode::model, directory +
                                         ": there is no such directory; give the model directory of a run "
                                         "(checkpoints.directory of its configuration)");
    }
    if (!fs::exists(config_path(directory), fault) && !fs::exists(metrics_path(directory), fault)) {
        throw Error(ExitCode::model, directory +
                                         ": not the model directory of a run: it holds neither config.yaml nor "
                                         "metrics.jsonl");
    }
}

BleuOptions bleu_options_of(const ValidationConfig& config) {
    BleuOptions options;
    options.tokenizer = find_bleu_tokenizer(config.tokenize).value_or(BleuTokenizer::t13a);
    options.lowercase = config.lowercase;
    return options;
}

std::string run_name(const std::string& directory) {
    std::error_code fault;
    fs::path path = fs::weakly_canonical(directory, fault);
    path = fault ? fs::path(directory) : path;
    const std::string name = (path.has_filename() ? path.filename() : path.parent_path().filename()).string();
    return name.empty() ? directory : name;
}

RunReview review_run(const std::string& directory, const ReviewOptions& options) {
    require_run(directory);
    RunReview review;
    review.run.name = run_name(directory);
    attempt(review.run, "There are no curves",
            [&] { add_log(review.run, run_history(read_metrics(metrics_path(directory)))); });
    attempt(review.run, "The configuration cannot be read", [&] {
        review.run.config = config_text(directory);
        review.config = load_model_config(directory);
        review.run.settings = settings_of(*review.config);
    });
    if (review.config) {
        read_text(review, options);
    }
    attempt(review.run, "The vocabularies cannot be read", [&] { add_vocabularies(review, directory); });
    if (review.config) {
        attempt(review.run, "The model cannot be used, so no translations are shown",
                [&] { add_translations(review, directory, options); });
    }
    return review;
}

}  // namespace softalign

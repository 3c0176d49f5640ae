#include "translate/translate_options.h"

#include <cmath>
#include <string>

#include "base/error.h"

namespace softalign {

TranslateOptions translate_options(const SearchConfig& config) {
    TranslateOptions options;
    options.search.beam = config.beam;
    options.search.patience = config.patience;
    options.search.scoring = {config.length_norm, config.length_alpha, config.coverage_penalty, config.word_penalty};
    options.search.no_repeat_ngram = config.no_repeat_ngram;
    options.min_length_ratio = config.min_length_ratio;
    options.max_length_ratio = config.max_length_ratio;
    options.max_length_offset = config.max_length_offset;
    options.min_length = config.min_length;
    options.max_length = config.max_length;
    options.batch_size = config.batch_size;
    options.forbid_unk = config.forbid_unk;
    return options;
}

void check_options(const TranslateOptions& options, bool has_attention) {
    const auto require = [](bool condition, const char* what) {
        if (!condition) {
            throw Error(ExitCode::configuration, std::string("translation options: ") + what);
        }
    };
    const SearchOptions& search = options.search;
    require(search.beam >= 1, "the beam must be at least 1");
    require(search.n_best >= 1, "n-best must be at least 1");
    require(search.n_best <= search.beam,
            "n-best is more than the beam; a search keeps no more hypotheses than its beam is wide");
    require(search.patience >= 0.0 && std::isfinite(search.patience), "the patience must be 0 or more");
    require(search.scoring.length_alpha >= 0.0 && std::isfinite(search.scoring.length_alpha),
            "the length normalisation alpha must be 0 or more");
    require(search.scoring.coverage_penalty >= 0.0 && std::isfinite(search.scoring.coverage_penalty),
            "the coverage penalty must be 0 or more");
    require(std::isfinite(search.scoring.word_penalty), "the word penalty must be a number");
    require(search.no_repeat_ngram >= 0, "the n of no-repeat n-grams must be 0 or more");
    require(search.groups >= 1 && search.beam % search.groups == 0, "the groups must divide the beam");
    require(search.diversity >= 0.0 && std::isfinite(search.diversity), "the diversity must be 0 or more");
    require(!search.sampling || search.groups == 1, "sampling and groups exclude each other");
    require(!search.sampling || (search.sampling->temperature > 0.0 && std::isfinite(search.sampling->temperature)),
            "the temperature must be above 0");
    require(!search.sampling || search.sampling->top_k >= 0, "top-k must be 0 or more");
    require(!search.sampling || (search.sampling->top_p > 0.0 && search.sampling->top_p <= 1.0),
            "top-p must be above 0 and at most 1");
    require(options.min_length_ratio >= 0.0 && std::isfinite(options.min_length_ratio),
            "the minimum length ratio must be 0 or more");
    require(options.max_length_ratio >= 0.0 && std::isfinite(options.max_length_ratio),
            "the maximum length ratio must be 0 or more");
    require(options.max_length_offset >= 0, "the maximum length offset must be 0 or more");
    require(options.min_length >= 0 && options.max_length >= 0, "minimum and maximum length must be 0 or more");
    require(options.max_length == 0 || options.min_length <= options.max_length,
            "the minimum length is more than the maximum length");
    require(options.batch_size >= 1, "the batch size must be at least 1");
    require(options.max_source_length >= 1, "the maximum source length must be at least 1");
    require(options.workers >= 1, "there must be at least 1 worker");
    require(!options.replace_unk || has_attention, "only a model with attention can replace unknown pieces");
    require(search.scoring.coverage_penalty == 0.0 || has_attention,
            "the coverage penalty needs a model with attention");
}

}  // namespace softalign

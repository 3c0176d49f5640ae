#include "translate/translate_options.h"

#include <cmath>
#include <string>

#include "base/error.h"
#include "config/schema.h"
#include "config/value.h"

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

namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ExitCode::configuration, "translation options: " + what);
}

void require(bool condition, const char* what) {
    if (!condition) {
        refuse(what);
    }
}

// What is allowed for a key of the configuration is allowed here.
template <typename Number>
void require_allowed(const char* path, Number value) {
    const Key& key = *find_key(path);
    if (!allows(key.allowed, static_cast<double>(value))) {
        refuse(name_of(path) + " must be " + expected_text(key));
    }
}

}  // namespace

void check_options(const TranslateOptions& options, bool has_attention) {
    const SearchOptions& search = options.search;
    require_allowed("search.beam", search.beam);
    require(search.n_best >= 1, "n_best must be at least 1");
    require(search.n_best <= search.beam,
            "n_best is more than the beam; a search keeps no more hypotheses than its beam is wide");
    require_allowed("search.patience", search.patience);
    require_allowed("search.length_alpha", search.scoring.length_alpha);
    require_allowed("search.coverage_penalty", search.scoring.coverage_penalty);
    require_allowed("search.word_penalty", search.scoring.word_penalty);
    require_allowed("search.no_repeat_ngram", search.no_repeat_ngram);
    require(search.groups >= 1 && search.beam % search.groups == 0, "the groups must divide the beam");
    require(search.diversity >= 0.0 && std::isfinite(search.diversity), "the diversity must be 0 or more");
    require(!search.sampling || search.groups == 1, "sampling and groups exclude each other");
    require(!search.sampling || (search.sampling->temperature > 0.0 && std::isfinite(search.sampling->temperature)),
            "the temperature must be above 0");
    require(!search.sampling || search.sampling->top_k >= 0, "top_k must be 0 or more");
    require(!search.sampling || (search.sampling->top_p > 0.0 && search.sampling->top_p <= 1.0),
            "top_p must be above 0 and at most 1");
    require_allowed("search.min_length_ratio", options.min_length_ratio);
    require_allowed("search.max_length_ratio", options.max_length_ratio);
    require_allowed("search.max_length_offset", options.max_length_offset);
    require_allowed("search.min_length", options.min_length);
    require_allowed("search.max_length", options.max_length);
    require(options.max_length == 0 || options.min_length <= options.max_length,
            "the minimum length is more than the maximum length");
    require_allowed("search.batch_size", options.batch_size);
    require(options.max_source_length >= 1, "the maximum source length must be at least 1");
    require(options.workers >= 1, "there must be at least 1 worker");
    require(!options.replace_unk || has_attention, "only a model with attention can replace unknown pieces");
    require(search.scoring.coverage_penalty == 0.0 || has_attention,
            "the coverage penalty needs a model with attention");
}

}  // namespace softalign

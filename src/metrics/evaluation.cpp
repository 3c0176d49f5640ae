#include "metrics/evaluation.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "metrics/format.h"

namespace softalign {

namespace {

std::string list_of(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) {
        list += (list.empty() ? "" : ", ") + name;
    }
    return list;
}

void require_name(const std::string& what, const std::string& name, const std::vector<std::string>& names) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw Error(ExitCode::usage, "unknown " + what + " '" + name + "'; there is: " + list_of(names));
    }
}

std::string line_count(const NamedLines& file) {
    const std::size_t count = file.lines.size();
    return file.name + " has " + std::to_string(count) + (count == 1 ? " line" : " lines");
}

void check_smooth_value(const EvaluationRequest& request) {
    if (!request.smooth_value) {
        return;
    }
    if (request.smooth_method != "floor" && request.smooth_method != "add-k") {
        throw Error(ExitCode::usage, "--smooth-value has no use with --smooth-method " + request.smooth_method +
                                         "; leave it out, or choose floor or add-k");
    }
    if (!(*request.smooth_value >= 0.0) || std::isinf(*request.smooth_value)) {
        throw Error(ExitCode::usage, "--smooth-value must be a number that is not negative");
    }
}

}  // namespace

BleuOptions bleu_options(const EvaluationRequest& request) {
    if (request.metrics.empty()) {
        throw Error(ExitCode::usage, "--metrics names no metric; there is: bleu");
    }
    for (const std::string& metric : request.metrics) {
        require_name("metric", metric, {"bleu"});
    }
    require_name("tokenizer", request.tokenize, bleu_tokenizer_names());
    require_name("smoothing method", request.smooth_method, bleu_smoothing_names());
    require_name("format", request.format, {"text", "json"});
    check_smooth_value(request);
    BleuOptions options;
    options.tokenizer = *find_bleu_tokenizer(request.tokenize);
    options.smoothing = *find_bleu_smoothing(request.smooth_method);
    options.smooth_value = request.smooth_value.value_or(options.smooth_value);
    options.lowercase = request.lowercase;
    return options;
}

void check_line_counts(const NamedLines& text, const std::vector<NamedLines>& references) {
    if (text.lines.empty()) {
        throw Error(ExitCode::data, text.name + " is empty: there is nothing to score");
    }
    for (const NamedLines& reference : references) {
        if (reference.lines.size() != text.lines.size()) {
            throw Error(ExitCode::data, line_count(text) + ", but " + line_count(reference) +
                                            "; a reference needs one line for each line that is scored");
        }
    }
}

std::string evaluate(const NamedLines& hypotheses, const std::vector<NamedLines>& references,
                     const EvaluationRequest& request) {
    const BleuOptions options = bleu_options(request);
    check_line_counts(hypotheses, references);
    std::vector<std::vector<std::string>> streams;
    streams.reserve(references.size());
    for (const NamedLines& reference : references) {
        streams.push_back(reference.lines);
    }
    const BleuScore score = corpus_bleu(hypotheses.lines, streams, options);
    return request.format == "json" ? format_json(score) : format_text(score);
}

}  // namespace softalign

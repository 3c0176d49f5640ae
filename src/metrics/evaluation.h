#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metrics/bleu.h"

namespace softalign {

// What a person asks of an evaluation, in the words of the command line.
struct EvaluationRequest {
    std::vector<std::string> metrics = {"bleu"};
    std::string tokenize = "13a";
    std::string smooth_method = "exp";
    std::optional<double> smooth_value;  // floor and add-k only
    bool lowercase = false;
    std::string format = "text";  // or json
};

// The lines of a file, under the name that messages give it.
struct NamedLines {
    std::string name;
    std::vector<std::string> lines;
};

// Throws Error(usage) for a metric, tokenizer, smoothing or format that does not exist, naming those that do, and for a
// smoothing value that is out of range or that the smoothing has no use for.
BleuOptions bleu_options(const EvaluationRequest& request);

// Throws Error(data) where the text has no line, or where a reference has another number of lines than the text: both
// names and counts. The text is what is scored, or the source it is translated from.
void check_line_counts(const NamedLines& text, const std::vector<NamedLines>& references);

// Scores the hypotheses and gives the report as it is to be printed, without the last line end.
// Throws as the two above.
std::string evaluate(const NamedLines& hypotheses, const std::vector<NamedLines>& references,
                     const EvaluationRequest& request);

}  // namespace softalign

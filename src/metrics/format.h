#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/significance.h"

namespace softalign {

// Scores in sacreBLEU's words.

// With this number of decimals.
std::string fixed(double value, int digits);

struct ScoreReport {
    std::string name;
    double score = 0.0;
    std::string signature;
    std::string verbose;                   // behind the score; may be empty
    std::optional<Confidence> confidence;  // where it was asked for
    nlohmann::ordered_json details;        // the sums behind the score; null if there are none
};

// From the sums of a system's statistics.
ScoreReport report_score(const TextMetric& metric, const std::vector<double>& sums, const SignatureFacts& facts);

// "68.0/43.1/29.5/20.3 (BP = 1.000 ratio = 1.000 hyp_len = 100 ref_len = 100)"
std::string verbose_score(const BleuScore& score);

// "36.5", "36.5 (μ = 36.4 ± 1.2)".
std::string format_number(const ScoreReport& score, int digits);

// "BLEU|nrefs:1|... = 36.5 68.0/43.1/29.5/20.3 (BP = ...)", one line without its end.
std::string format_text(const ScoreReport& score, int digits);

// name, score (a full double), signature, the confidence interval, verbose_score, the signature's fields as strings,
// and the statistics.
nlohmann::ordered_json as_json(const ScoreReport& score, int digits);

// Rows of texts and numbers, printed as text or as JSON.
struct Table {
    std::string title;
    std::vector<std::string> columns;
    std::vector<std::vector<nlohmann::ordered_json>> rows;  // null = empty cell
};

// The title, if there is one, and aligned columns, with this number of decimals. Each line ends in
// LF.
std::string format_table(const Table& table, int digits);
// {"title": ..., "rows": [{column: value, ...}, ...]}.
nlohmann::ordered_json table_as_json(const Table& table);

}  // namespace softalign

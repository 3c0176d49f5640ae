#include "metrics/format.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "base/strings.h"
#include "metrics/tokenizers.h"

namespace softalign {

std::string fixed(double value, int digits) {
    std::array<char, 512> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
}

ScoreReport report_score(const TextMetric& metric, const std::vector<double>& sums, const SignatureFacts& facts) {
    ScoreReport report;
    report.name = metric.name();
    report.score = metric.score(sums.data());
    report.signature = metric.signature(facts);
    report.verbose = metric.verbose(sums.data());
    const std::string details = metric.details(sums.data());
    report.details = details.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json::parse(details);
    return report;
}

std::string verbose_score(const BleuScore& score) {
    std::string precisions;
    for (const double precision : score.precisions) {
        precisions += (precisions.empty() ? "" : "/") + fixed(precision, 1);
    }
    const double ratio = score.reference_length == 0 ? 0.0
                                                     : static_cast<double>(score.hypothesis_length) /
                                                           static_cast<double>(score.reference_length);
    return precisions + " (BP = " + fixed(score.brevity_penalty, 3) + " ratio = " + fixed(ratio, 3) +
           " hyp_len = " + std::to_string(score.hypothesis_length) +
           " ref_len = " + std::to_string(score.reference_length) + ")";
}

namespace {

std::string interval_text(const Confidence& confidence, int digits) {
    return "μ = " + fixed(confidence.mean, digits) + " ± " + fixed(confidence.interval, digits);
}

}  // namespace

std::string format_number(const ScoreReport& score, int digits) {
    std::string text = fixed(score.score, digits);
    if (score.confidence) {
        text += " (" + interval_text(*score.confidence, digits) + ")";
    }
    return text;
}

std::string format_text(const ScoreReport& score, int digits) {
    return score.name + "|" + score.signature + " = " + format_number(score, digits) +
           (score.verbose.empty() ? "" : " " + score.verbose);
}

nlohmann::ordered_json as_json(const ScoreReport& score, int digits) {
    nlohmann::ordered_json report;
    report["name"] = score.name;
    report["score"] = score.score;
    report["signature"] = score.signature;
    if (score.confidence) {
        report["confidence_mean"] = score.confidence->mean;
        report["confidence_var"] = score.confidence->interval;
        report["confidence"] = interval_text(*score.confidence, digits);
    }
    if (!score.verbose.empty()) {
        report["verbose_score"] = score.verbose;
    }
    for (std::size_t begin = 0; begin < score.signature.size();) {
        const std::size_t end = std::min(score.signature.find('|', begin), score.signature.size());
        const std::string field = score.signature.substr(begin, end - begin);
        const std::size_t colon = field.find(':');
        report[field.substr(0, colon)] = field.substr(colon + 1);
        begin = end + 1;
    }
    if (!score.details.is_null()) {
        report["statistics"] = score.details;
    }
    return report;
}

namespace {

std::string cell_text(const nlohmann::ordered_json& cell, int digits) {
    if (cell.is_null()) {
        return "-";
    }
    if (cell.is_number_float()) {
        return fixed(cell.get<double>(), digits);
    }
    return terminal_text(cell.is_string() ? cell.get<std::string>() : json_text(cell));
}

// Texts stand on the left, figures on the right.
std::string padded(const std::string& text, std::size_t width, bool left) {
    const std::size_t length = decode_utf8(text).size();
    const std::string space(width > length ? width - length : 0, ' ');
    return left ? text + space : space + text;
}

}  // namespace

std::string format_table(const Table& table, int digits) {
    std::vector<std::vector<std::string>> lines{table.columns};
    for (const auto& row : table.rows) {
        std::vector<std::string> texts;
        for (const nlohmann::ordered_json& cell : row) {
            texts.push_back(cell_text(cell, digits));
        }
        lines.push_back(texts);
    }
    std::vector<std::size_t> widths(table.columns.size(), 0);
    for (const std::vector<std::string>& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            widths[i] = std::max(widths[i], decode_utf8(line[i]).size());
        }
    }
    std::string text = table.title.empty() ? "" : table.title + "\n";
    for (const std::vector<std::string>& line : lines) {
        std::string shown;
        for (std::size_t i = 0; i < line.size(); ++i) {
            shown += (i == 0 ? "" : "  ") + padded(line[i], widths[i], i == 0);
        }
        text += std::string(strip_right(shown)) + "\n";
    }
    return text;
}

nlohmann::ordered_json table_as_json(const Table& table) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& row : table.rows) {
        nlohmann::ordered_json named;
        for (std::size_t i = 0; i < row.size(); ++i) {
            named[table.columns[i]] = row[i];
        }
        rows.push_back(named);
    }
    return {{"title", table.title}, {"rows", rows}};
}

}  // namespace softalign

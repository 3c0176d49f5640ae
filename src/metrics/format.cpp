#include "metrics/format.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

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

}  // namespace softalign

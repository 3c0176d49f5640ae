#include "metrics/format.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace softalign {

std::string fixed(double value, int digits) {
    std::array<char, 512> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
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

std::string format_text(const BleuScore& score) {
    return "BLEU|" + score.signature + " = " + fixed(score.score, 1) + " " + verbose_score(score);
}

std::string format_json(const BleuScore& score) {
    nlohmann::ordered_json report;
    report["name"] = "BLEU";
    report["score"] = score.score;
    report["signature"] = score.signature;
    report["verbose_score"] = verbose_score(score);
    for (std::size_t begin = 0; begin < score.signature.size();) {
        const std::size_t end = std::min(score.signature.find('|', begin), score.signature.size());
        const std::string field = score.signature.substr(begin, end - begin);
        const std::size_t colon = field.find(':');
        report[field.substr(0, colon)] = field.substr(colon + 1);
        begin = end + 1;
    }
    return report.dump(1);
}

}  // namespace softalign

#include "metrics/text_metric.h"

#include <string>

namespace softalign {

std::string TextMetric::verbose(const double* /*sums*/) const {
    return "";
}

std::string TextMetric::details(const double* /*sums*/) const {
    return "";
}

std::string signature_start(const SignatureFacts& facts) {
    std::string text = "nrefs:" + (facts.references == 0 ? std::string("var") : std::to_string(facts.references));
    if (facts.bootstraps) {
        text += "|bs:" + std::to_string(*facts.bootstraps);
    }
    if (facts.trials) {
        text += "|ar:" + std::to_string(*facts.trials);
    }
    if (facts.seed) {
        text += "|seed:" + std::to_string(*facts.seed);
    }
    return text;
}

}  // namespace softalign

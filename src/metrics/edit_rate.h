#pragma once

#include <cstddef>
#include <string>

#include "metrics/text_metric.h"

namespace softalign {

// What TER, CER and WER have in common: the statistics of a sentence are its edits and the length of its reference, and
// the score is the first divided by the second, in percent. Lower is better. Without any reference length it is 0 if
// there are no edits, else 100.
class EditRate : public TextMetric {
public:
    bool higher_is_better() const override { return false; }
    std::size_t width() const override { return 2; }
    double score(const double* sums) const override;
    double float32_score(const float* sums) const override;
    std::string details(const double* sums) const override;
};

}  // namespace softalign

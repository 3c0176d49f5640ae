#pragma once

#include <cstdint>
#include <memory>

#include "metrics/text_metric.h"

namespace softalign {

// The F score of character n-grams (Popović 2015), optionally with word n-grams (chrF++, Popović 2017).
struct ChrfOptions {
    std::int64_t character_order = 6;
    std::int64_t word_order = 0;  // 2 is chrF++
    std::int64_t beta = 2;        // weight of recall relative to precision
    bool whitespace = false;      // count the spaces as characters
    bool lowercase = false;
    bool epsilon_smoothing = false;  // orders without n-grams count as a very small number instead of being ignored
};

// REQUIRES: orders and beta are not negative, and one of the orders is positive.
std::unique_ptr<TextMetric> make_chrf(const ChrfOptions& options);

}  // namespace softalign

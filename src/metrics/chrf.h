#pragma once

#include <cstdint>
#include <memory>

#include "metrics/text_metric.h"

namespace softalign {

// The F score of character n-grams (Popović 2015), and of word n-grams beside them (chrF++, Popović 2017).
struct ChrfOptions {
    std::int64_t character_order = 6;
    std::int64_t word_order = 0;  // 2 is chrF++
    std::int64_t beta = 2;        // how much more recall counts than precision
    bool whitespace = false;      // count the spaces as characters
    bool lowercase = false;
    bool epsilon_smoothing = false;  // an order without n-grams counts as a very small number instead of not at all
};

// REQUIRES: orders and beta are not negative, and one of the orders is positive.
std::unique_ptr<TextMetric> make_chrf(const ChrfOptions& options);

}  // namespace softalign

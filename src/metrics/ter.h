#pragma once

#include <memory>

#include "metrics/text_metric.h"

namespace softalign {

// The translation edit rate (Snover et al. 2006): insertions, deletions, substitutions and shifts of word sequences,
// per word of the reference. Lower is better.
struct TerOptions {
    bool normalized = false;      // separate punctuation first
    bool no_punctuation = false;  // remove it
    bool asian_support = false;   // of `normalized` and `no_punctuation`: Chinese, Japanese and Korean text too
    bool case_sensitive = false;
};

std::unique_ptr<TextMetric> make_ter(const TerOptions& options);

}  // namespace softalign

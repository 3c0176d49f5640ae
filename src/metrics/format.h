#pragma once

#include <string>

#include "metrics/bleu.h"

namespace softalign {

// The report of a score in sacreBLEU's words.

// With so many digits behind the point.
std::string fixed(double value, int digits);

// "68.0/43.1/29.5/20.3 (BP = 1.000 ratio = 1.000 hyp_len = 100 ref_len = 100)"
std::string verbose_score(const BleuScore& score);

// "BLEU|nrefs:1|... = 36.5 68.0/43.1/29.5/20.3 (BP = ...)", one line without its end.
std::string format_text(const BleuScore& score);

// An object with name, score (a full double), signature, verbose_score, and the signature's fields as strings.
std::string format_json(const BleuScore& score);

}  // namespace softalign

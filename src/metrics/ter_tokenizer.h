#pragma once

#include <string>
#include <string_view>

#include "metrics/ter.h"

namespace softalign {

// The text as tercom's tokenizer leaves it, with its words separated by white space (split_words gives them).
std::string tokenize_for_ter(std::string_view text, const TerOptions& options);

}  // namespace softalign

#pragma once

#include <string>
#include <string_view>

#include "metrics/ter.h"

namespace softalign {

// One pass of tercom's tokenizer. The words of the result are separated by white space (split_words returns them). With
// `normalized`, a second pass may split further: "McDonald's." gives "mcdonald's ." and then "mcdonald 's .".
std::string tokenize_for_ter(std::string_view text, const TerOptions& options);

}  // namespace softalign

#pragma once

#include <softalign/translator.h>

#include <string>
#include <vector>

#include "config/config.h"
#include "text/tokenizer.h"
#include "translate/batch_translator.h"

namespace softalign {

// The model's search options, overridden by those of the interface.
TranslateOptions translate_options(const Translator::Options& options, const SearchConfig& config);

// Converts the translations of one sentence to the interface's type; does not set `cut`. REQUIRES: at least one.
Translator::Result to_result(const std::vector<Translation>& translations, const Tokenizer& source,
                             const Tokenizer& target);

}  // namespace softalign

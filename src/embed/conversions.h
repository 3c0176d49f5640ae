#pragma once

#include <softalign/translator.h>

#include <string>
#include <vector>

#include "config/config.h"
#include "text/tokenizer.h"
#include "translate/batch_translator.h"

namespace softalign {

// The options of the interface over those of the model's configuration.
TranslateOptions translate_options(const Translator::Options& options, const SearchConfig& config);

// The translations of one sentence as the interface gives them, without `cut`. REQUIRES: at least one.
Translator::Result to_result(const std::vector<Translation>& translations, const Tokenizer& source,
                             const Tokenizer& target);

}  // namespace softalign

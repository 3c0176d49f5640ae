#pragma once

#include <softalign/translator.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "text/tokenizer.h"
#include "translate/batch_translator.h"

namespace softalign {

// Where the model runs: as the interface says, else as its configuration does. All throw TranslatorError(options) for
// values that are out of range.
Precision precision_of(const Translator::Machine& machine, const Config& config);
DeviceChoice device_choice(const Translator::Machine& machine, const Config& config);
std::int64_t requested_workers(const Translator::Machine& machine, const Config& config);

// The model's search options, overridden by those of the interface.
TranslateOptions translate_options(const Translator::Options& options, const SearchConfig& config);

// `number` of the sentence, from 1, for messages. Throws TranslatorError(input) for what is text and features, or
// floats and bytes, at once; the model's translator checks the rest.
TranslationRequest to_inside(const Translator::Request& request, std::size_t number);

// Converts the translations of one sentence to the interface's type; does not set `cut`. REQUIRES: at least one.
Translator::Result to_result(const std::vector<Translation>& translations, const Tokenizer& source,
                             const Tokenizer& target);

}  // namespace softalign

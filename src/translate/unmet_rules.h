#pragma once

#include "base/error.h"
#include "translate/sentence_encoder.h"
#include "translate/translate_options.h"

namespace softalign {

// The error of a sentence for which the search found nothing: Error(data) that names the sentence by its number from 1
// and the rules for its translation; Error(numerical) if there are none but the maximum length, so that the model rules
// every translation out.
Error unmet_rules(const EncodedSentence& sentence, const TranslateOptions& options);

}  // namespace softalign

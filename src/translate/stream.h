#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "translate/batch_translator.h"

namespace softalign {

// Gives the next sentence; false after the last.
using ReadSentence = std::function<bool(TranslationRequest& request)>;

// Takes the translations of the sentence `index` (from 0), which come in the order of the sentences.
using WriteTranslations = std::function<void(std::int64_t index, const std::vector<Translation>& translations)>;

struct StreamOptions {
    std::int64_t chunk = 4096;            // sentences read, translated and written together
    std::function<void()> after_chunk{};  // called once the translations of a chunk are written, if set
};

// Translates a text of any length, even an endless one, in the memory that a chunk of it needs.
void translate_stream(BatchTranslator& translator, const ReadSentence& read, const WriteTranslations& write,
                      const StreamOptions& options);

}  // namespace softalign

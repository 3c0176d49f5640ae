#pragma once

#include <string>
#include <vector>

#include "html/report.h"
#include "storage/model_directory.h"

namespace softalign {

// The vocabularies themselves: size, longest pieces. One entry where both sides share one.
std::vector<ReportVocabulary> vocabularies_of(const Tokenizers& tokenizers);

// What a vocabulary does to a text: words, pieces a word, unknown pieces, the words cut into most.
ReportVocabulary text_figures(const std::string& name, const Tokenizer& tokenizer,
                              const std::vector<std::string>& lines);

}  // namespace softalign

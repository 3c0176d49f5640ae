#pragma once

#include <string>
#include <vector>

#include "html/report.h"
#include "storage/model_directory.h"

namespace softalign {

// The vocabularies themselves: size, longest pieces. One entry if both sides share one.
std::vector<ReportVocabulary> vocabularies_of(const Tokenizers& tokenizers);

// How a vocabulary segments a text: words, pieces per word, unknown pieces, the words split into the most pieces.
ReportVocabulary text_figures(const std::string& name, const Tokenizer& tokenizer,
                              const std::vector<std::string>& lines);

}  // namespace softalign

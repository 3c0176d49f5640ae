#pragma once

#include <string>

#include "text/tokenizer.h"
#include "translate/shortlist.h"

namespace softalign {

// A shortlist as a text file, which docs/model_format.md describes: the sizes and checksums of both vocabularies, the
// pieces that are always allowed, and a line for each source piece that has translations.

// The contents of the shortlist file for these vocabularies.
std::string shortlist_text(const Shortlist& shortlist, const Tokenizer& source, const Tokenizer& target);

// Throws Error(data), naming file, line and column, for what cannot be read or is no shortlist, and Error(model) for
// one that was made for other vocabularies.
Shortlist read_shortlist(const std::string& path, const Tokenizer& source, const Tokenizer& target);

// Reads the shortlist.txt of a model directory. Throws Error(model) if there is none, saying how to make it, and for
// every error in it, since it is part of the model.
Shortlist read_shortlist_of(const std::string& directory, const Tokenizer& source, const Tokenizer& target);

}  // namespace softalign

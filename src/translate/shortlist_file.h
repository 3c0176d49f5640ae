#pragma once

#include <string>

#include "text/tokenizer.h"
#include "translate/shortlist.h"

namespace softalign {

// A shortlist as a text file, which docs/model_format.md describes: the sizes and checksums of both vocabularies, the
// pieces that are always allowed, and a line for each source piece that has translations.

// What the file of a shortlist for these vocabularies holds.
std::string shortlist_text(const Shortlist& shortlist, const Tokenizer& source, const Tokenizer& target);

// Throws Error(data), naming file, line and column, for what cannot be read or is no shortlist, and Error(model) for
// one that was made for other vocabularies.
Shortlist read_shortlist(const std::string& path, const Tokenizer& source, const Tokenizer& target);

// The shortlist.txt of a model directory. Throws Error(model) where there is none, telling how to make it, and for
// every fault of it, since it is a part of the model.
Shortlist read_shortlist_of(const std::string& directory, const Tokenizer& source, const Tokenizer& target);

}  // namespace softalign

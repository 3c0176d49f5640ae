#pragma once

#include "search/options.h"
#include "text/tokenizer.h"

namespace softalign {

// Where words end, as the glossary has them (Glossary): at spaces, in front of punctuation and behind it. Hyphens,
// apostrophes and underscores belong to words, and characters of scripts without spaces between words end them. A byte
// of a character belongs to a word; what has no text of its own, such as the unknown piece, to none.
WordBoundaries word_boundaries(const Tokenizer& tokenizer);

}  // namespace softalign

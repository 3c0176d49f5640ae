#pragma once

#include "text/tokenizer.h"

namespace softalign {

// The tokenizers that map the ids of source and target to pieces.
struct TokenizerPair {
    const Tokenizer& source;
    const Tokenizer& target;
};

}  // namespace softalign

#pragma once

#include <string>
#include <string_view>

#include "metrics/bleu.h"

namespace softalign {

// The tokenisation for BLEU: the text with its tokens separated by white space (split_words returns them).
// Each agrees with sacreBLEU 2.6 on every input:
//   none       the text as it is
//   t13a       mteval-v13a: entities decoded, ASCII punctuation separated, periods and commas left inside numbers
//   intl       mteval-v14: all Unicode punctuation (except between digits) and symbols separated
//   zh         each Chinese character is a token, the rest as in 13a without its entities
//   character  each code point is a token
std::string tokenize_for_bleu(std::string_view text, BleuTokenizer tokenizer);

}  // namespace softalign

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/text_metric.h"

namespace softalign {

// Unicode functions for scoring. They behave like Python's str, because published scores depend on that. Character
// properties come from ICU.

// A byte b that is not part of a valid UTF-8 sequence is decoded as U+DC00 + b and encoded as that byte again, so that
// any input survives a round trip.
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(std::u32string_view text);

// The length of the UTF-8 sequence at `at`; 1 for a byte that is not part of a valid one. REQUIRES: at < size.
std::size_t sequence_length(std::string_view text, std::size_t at);

// White space as in str.split and str.strip.
bool is_space(char32_t code_point);

bool is_number(char32_t code_point);       // general categories Nd, Nl, No
bool is_punctuation(char32_t code_point);  // Pc, Pd, Ps, Pe, Pi, Pf, Po
bool is_symbol(char32_t code_point);       // Sm, Sc, Sk, So

// The text without white space: "".join(text.split()).
std::u32string decode_without_spaces(std::string_view text);

// str.lower(): the simple mappings, the dotted capital I as two code points, and the final form of the Greek sigma.
std::string to_lower(std::string_view text);

// unicodedata.normalize("NFC", text): characters that can be written in several ways are written in one, composed where
// possible. Bytes that are not UTF-8 stay as they are.
std::string normalize_nfc(std::string_view text);

// str.split(), str.strip() and str.rstrip() without arguments. The views point into `text`.
std::vector<std::string_view> split_words(std::string_view text);
std::string_view strip(std::string_view text);
std::string_view strip_right(std::string_view text);

// The tokenisation for BLEU: the text with its tokens separated by white space (split_words returns them).
// Each agrees with sacreBLEU 2.6 on every input:
//   none       the text as it is
//   t13a       mteval-v13a: entities decoded, ASCII punctuation separated, periods and commas left inside numbers
//   intl       mteval-v14: all Unicode punctuation (except between digits) and symbols separated
//   zh         each Chinese character is a token, the rest as in 13a without its entities
//   character  each code point is a token
std::string tokenize_for_bleu(std::string_view text, BleuTokenizer tokenizer);

// One pass of tercom's tokenizer. The words of the result are separated by white space (split_words returns them). With
// `normalized`, a second pass may split further: "McDonald's." gives "mcdonald's ." and then "mcdonald 's .".
std::string tokenize_for_ter(std::string_view text, const TerOptions& options);

}  // namespace softalign

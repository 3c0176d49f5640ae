#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/sentencepiece_tokenizer.h"
#include "text/tokenizer.h"

namespace softalign {

// Tags such as <bt>, which stand before a sentence and say what it is (data.tags). A tag is one piece of the
// vocabulary, so that nothing cuts it.

// Throws Error(configuration) for a tag that is not something between signs of ASCII: its piece would be cut out of
// every word of a text that contains it. Words with signs, such as mother-in-law with -in-, are not looked for.
void require_unlike_words(const std::vector<std::string>& tags);

// The vocabulary with a piece for each tag that it lacks, behind its others: a user-defined one, which is never cut
// wherever it stands in a text, or in a vocabulary of words a word. Empty tags are none. Throws Error(model),
// and Error(configuration) for a tag that is spelled like a special piece, such as <unk>.
VocabularyBytes with_tags(VocabularyBytes file, const std::vector<std::string>& tags);

// What a tag adds before a sentence: encode(tag + " " + text) is these ids and then encode(text). Throws
// Error(configuration) if the vocabulary has no piece for it.
std::vector<std::int32_t> tag_ids(const Tokenizer& tokenizer, const std::string& tag);

}  // namespace softalign

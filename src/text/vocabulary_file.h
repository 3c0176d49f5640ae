#pragma once

#include <string>
#include <string_view>

namespace softalign {

// SentencePiece trusts parts of a model file: the offsets in its normalisation table, and the number of user-defined
// pieces that share a prefix. A damaged or malicious file could make it read arbitrary memory. This function checks
// these parts before the file is loaded. It returns what is wrong, or an empty string if nothing is.
//
std::string fault_of_vocabulary_file(std::string_view bytes);

}  // namespace softalign

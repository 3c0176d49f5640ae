#pragma once

#include <string>
#include <string_view>

namespace softalign {

// SentencePiece trusts a model file in some things: that the table of its normalisation points into itself, and that no
// more than so many user-defined pieces begin alike. Where a file is not as SentencePiece would have written it, text
// would be read from anywhere in memory. Looks at these before it is loaded: empty where all is well, else what is
// wrong.
std::string fault_of_vocabulary_file(std::string_view bytes);

}  // namespace softalign

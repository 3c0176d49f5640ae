#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/scoring.h"

namespace softalign {

// A translation and what it was made from.
struct CheckedOutput {
    const std::vector<std::int32_t>& pieces;
    std::string text;
    const std::vector<std::int32_t>& source_pieces;
    std::string source;
    std::vector<std::string> asked;  // what the translation was told to contain
};

// What is wrong with a translation, if it is one of two things:
// - loop: pieces follow themselves again and again, at least twice (one piece: three times), and more often than any
//   do in the source; or three words occur together three times, and more often than any two words or pieces of the
//   source do. Where both could be said, this is it.
// - copy: of at least four of its words, three quarters are those of the source, in its order. Words without letters do
//   not count, nor do those that were asked for; small letters are the same as capital ones, in ASCII.
OutputFault fault_of(const CheckedOutput& output);

// "loop" or "copy"; empty for none.
const char* name_of(OutputFault fault);

}  // namespace softalign

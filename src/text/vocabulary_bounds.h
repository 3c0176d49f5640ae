#pragma once

#include <string_view>

namespace softalign {

// SentencePiece follows the tables that a model brings without looking where they lead, and reads beyond them if they
// are made so. Whether it may be given this model: false where a table of normalization (a double array of Darts, and
// the texts that it leads to) leaves its bounds, has a rule longer than 1024 bytes or more than 32 rules that begin
// with each other, where more than 64 symbols of the user do, or where the bytes are no protocol buffer. True says
// nothing about the rest of the model, which SentencePiece checks.
bool keeps_bounds(std::string_view model);

}  // namespace softalign

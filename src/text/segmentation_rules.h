#pragma once

#include <string_view>

#include "text/tokenizer.h"

namespace softalign {

// The rules of a vocabulary in SentencePiece's file format. REQUIRES: fault_of_vocabulary_file finds no fault in it.
SegmentationRules segmentation_rules_of(std::string_view bytes);

}  // namespace softalign

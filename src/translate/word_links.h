#pragma once

#include "document/mark_placement.h"
#include "translate/batch_translator.h"

namespace softalign {

// The attention of a translation between words; along the diagonal if it has none. REQUIRES: it has its words, or no
// attention.
WordLinks word_links(const Translation& translation);

}  // namespace softalign

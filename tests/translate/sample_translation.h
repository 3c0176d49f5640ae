#pragma once

#include "number_tokenizer.h"
#include "translate/batch_translator.h"
#include "translate/format.h"

namespace softalign {

// "5 6-7" (pieces 5, 6 and 7) translated as "8-9 10" (pieces 8, 9 and 10), with numbers that floats hold exactly. The
// ends are both 3.
inline Translation sample_translation() {
    Translation translation;
    translation.source = "5 6-7";
    translation.source_ids = {5, 6, 7, 3};
    translation.source_words = {{"5", "6-7"}, {{0, 1}, {1, 2}, {1, 2}}};
    translation.text = "8-9 10";
    translation.ids = {8, 9, 10};
    translation.target_words = {{"8-9", "10"}, {{0, 1}, {0, 1}, {1, 2}}};
    translation.attention = {{0.375F, 0.25F, 0.25F, 0.125F},
                             {0.5F, 0.25F, 0.25F, 0.0F},
                             {0.125F, 0.125F, 0.25F, 0.5F},
                             {0.0F, 0.0F, 0.25F, 0.75F}};
    translation.token_log_probs = {-0.5F, -0.1F, -1.25F, -0.15F};
    translation.log_prob = -2.0;
    translation.length_norm = 4.0;
    translation.score = -0.5;
    return translation;
}

struct SampleTokenizers {
    NumberTokenizer source{20};
    NumberTokenizer target{20};
    TokenizerPair pair{source, target};
};

}  // namespace softalign

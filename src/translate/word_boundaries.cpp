#include "translate/word_boundaries.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/strings.h"
#include "document/text_units.h"
#include "text/words.h"

namespace softalign {

WordBoundaries word_boundaries(const Tokenizer& tokenizer) {
    const auto size = static_cast<std::size_t>(tokenizer.size());
    WordBoundaries words{std::vector<bool>(size, true), std::vector<bool>(size, true)};
    std::vector<std::int32_t> silent = tokenizer.silent_ids();
    silent.push_back(tokenizer.special().unk);
    silent.push_back(tokenizer.special().eos);
    for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
        const std::string text = tokenizer.spelling(id);
        if (text.empty() || std::find(silent.begin(), silent.end(), id) != silent.end()) {
            continue;
        }
        words.begins[static_cast<std::size_t>(id)] = starts_with(text, space_symbol) || !begins_in_word(text);
        words.ends[static_cast<std::size_t>(id)] = ends_with(text, space_symbol) || !ends_in_word(text);
    }
    return words;
}

}  // namespace softalign

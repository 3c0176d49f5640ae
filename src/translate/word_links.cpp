#include "translate/word_links.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "text/words.h"
#include "translate/alignment.h"

namespace softalign {

WordLinks word_links(const Translation& translation) {
    WordLinks links = alignment_weights(translation, AlignmentUnits::words);
    if (links.empty()) {
        const std::size_t columns = words_of(translation.source).size();
        links.assign(words_of(translation.text).size(), std::vector<float>(columns, 0.0F));
        for (std::size_t row = 0; columns > 0 && row < links.size(); ++row) {
            links[row][row * columns / links.size()] = 1.0F;
        }
        return links;
    }
    links.pop_back();  // the ends
    for (std::vector<float>& row : links) {
        row.pop_back();
    }
    return links;
}

}  // namespace softalign

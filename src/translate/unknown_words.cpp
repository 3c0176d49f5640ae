#include "translate/unknown_words.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace softalign {

namespace {

// Appends `part` to a text, with one space between them.
void append(std::string& text, const std::string& part) {
    const std::size_t begin = part.find_first_not_of(' ');
    if (begin == std::string::npos) {
        return;
    }
    text.append(text.empty() ? 0 : 1, ' ');
    text.append(part, begin, part.find_last_not_of(' ') + 1 - begin);
}

}  // namespace

std::string replace_unknown(const AttendedPieces& pieces, const PieceWords& source, const Tokenizer& target,
                            const Dictionary& dictionary) {
    const std::int32_t unk = target.special().unk;
    std::string text;
    std::vector<std::int32_t> known;  // since the last unknown piece
    for (std::size_t t = 0; t < pieces.ids.size(); ++t) {
        if (pieces.ids[t] != unk) {
            known.push_back(pieces.ids[t]);
            continue;
        }
        append(text, target.decode(known));
        known.clear();
        const std::vector<float>& weights = pieces.attention[t];
        const auto best = static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
        const WordRange words = best < source.of_piece.size() ? source.of_piece[best] : WordRange();
        for (std::size_t word = words.begin; word < words.end; ++word) {
            append(text, dictionary.translate(source.words[word]));
        }
    }
    append(text, target.decode(known));
    return text;
}

}  // namespace softalign

#include "translate/unknown_words.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "text/line_reader.h"

namespace softalign {

Dictionary::Dictionary(const std::string& path) {
    LineReader reader(path);
    std::string line;
    while (reader.next(line)) {
        reader.require_utf8(line);
        const std::size_t tab = line.find('\t');
        if (tab == std::string::npos || tab == 0 || tab + 1 == line.size() ||
            line.find('\t', tab + 1) != std::string::npos) {
            throw Error(ExitCode::data, reader.place() +
                                            ": not an entry of a dictionary; write a source word, one tab and its "
                                            "translation");
        }
        translations_.emplace(line.substr(0, tab), line.substr(tab + 1));
    }
}

const std::string& Dictionary::translate(const std::string& word) const {
    const auto found = translations_.find(word);
    return found == translations_.end() ? word : found->second;
}

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

#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "text/piece_words.h"
#include "text/tokenizer.h"

namespace softalign {

// Translations of single words.
class Dictionary {
public:
    Dictionary() = default;

    // Reads a UTF-8 file, plain or gzip, of lines "source<TAB>target". The first line of a word counts. Throws
    // Error(data), naming file and line, for what cannot be read, is not UTF-8 or does not have this form.
    explicit Dictionary(const std::string& path);

    // The translation of a word, or the word itself if there is none.
    const std::string& translate(const std::string& word) const;

private:
    std::unordered_map<std::string, std::string> translations_;
};

// A translation before it is text: its pieces, and the attention weights of each of them.
struct AttendedPieces {
    const std::vector<std::int32_t>& ids;
    const std::vector<std::vector<float>>& attention;  // a row for each piece at least
};

// The text of a translation in which each unknown piece is replaced by the words of the source piece with the greatest
// weight at its step, the first of equal ones, each translated by the dictionary (Luong et al. 2015). A piece whose
// greatest weight is on the end of the source is left out.
std::string replace_unknown(const AttendedPieces& pieces, const PieceWords& source, const Tokenizer& target,
                            const Dictionary& dictionary);

}  // namespace softalign

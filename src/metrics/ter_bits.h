#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "metrics/ngrams.h"

namespace softalign {

// Edit distances between texts and one reference, for all words of the reference at once: each is a bit of `Word`
// (Myers 1999, in the form of Hyyrö 2003). For a text that shares a prefix with the remembered text, the computation
// starts after that prefix.
template <class Word>
class BitDistance {
public:
    static constexpr std::size_t longest = 8 * sizeof(Word);

    // Symbols of the reference are from 1 to `symbols`. REQUIRES: it has 1 to `longest` words.
    void set_reference(const std::vector<Symbol>& reference, std::size_t symbols) {
        length_ = reference.size();
        masks_.assign(symbols + 1, 0);
        for (std::size_t i = 0; i < length_; ++i) {
            masks_[reference[i]] |= Word{1} << i;
        }
    }

    void remember(const std::vector<Symbol>& text) {
        rows_.resize(text.size() + 1);
        rows_[0] = {static_cast<Word>(~Word{0}), 0, static_cast<std::int64_t>(length_)};
        for (std::size_t i = 0; i < text.size(); ++i) {
            rows_[i + 1] = rows_[i];
            advance(rows_[i + 1], text[i]);
        }
    }

    // The distance of a text whose first `known` symbols are those of the remembered text.
    std::int64_t distance(const std::vector<Symbol>& text, std::size_t known) const {
        Row row = rows_[known];
        for (std::size_t i = known; i < text.size(); ++i) {
            advance(row, text[i]);
        }
        return row.distance;
    }

private:
    // The distances between one prefix of the text and all prefixes of the reference, as differences: a bit of `rises`
    // is set where the distance grows by one along the reference, a bit of `falls` where it shrinks by one.
    struct Row {
        Word rises = 0;
        Word falls = 0;
        std::int64_t distance = 0;  // to the whole reference
    };

    void advance(Row& row, Symbol symbol) const {
        const Word equal = masks_[symbol];
        const Word diagonal = (((equal & row.rises) + row.rises) ^ row.rises) | equal | row.falls;
        Word right_rises = row.falls | ~(diagonal | row.rises);
        Word right_falls = row.rises & diagonal;
        const Word last = Word{1} << (length_ - 1);
        row.distance += (right_rises & last) != 0 ? 1 : 0;
        row.distance -= (right_falls & last) != 0 ? 1 : 0;
        right_rises = right_rises << 1 | 1;
        right_falls <<= 1;
        row.rises = right_falls | ~(diagonal | right_rises);
        row.falls = right_rises & diagonal;
    }

    std::size_t length_ = 0;
    std::vector<Word> masks_;  // by symbol: its positions in the reference
    std::vector<Row> rows_;    // by length of the prefix of the remembered text
};

}  // namespace softalign

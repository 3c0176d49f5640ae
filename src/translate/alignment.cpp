#include "translate/alignment.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace softalign {

namespace {

bool has_end(const Translation& translation) {
    return translation.grid.positions() == 0;
}

// The attention in words, with columns only for the source words that have pieces, of which there are no more than
// pieces: a text may have any number of words that normalisation deletes. Positions of a grid are words.
struct WordWeights {
    AlignmentWeights rows;           // the end of the source, if it has one, is the last column
    std::vector<std::size_t> words;  // of the other columns
};

WordWeights in_words(const Translation& translation) {
    WordWeights result;
    std::vector<std::size_t> columns;  // of the source pieces, in non-decreasing order
    for (const WordRange& range : translation.source_words.of_piece) {
        if (result.words.empty() || result.words.back() != range.begin) {
            result.words.push_back(range.begin);  // a piece with a part in several words counts for the first
        }
        columns.push_back(result.words.size() - 1);
    }
    for (std::size_t position = 0; position < static_cast<std::size_t>(translation.grid.positions()); ++position) {
        result.words.push_back(position);
        columns.push_back(position);
    }
    const PieceWords& target = translation.target_words;
    const std::size_t width = result.words.size() + (has_end(translation) ? 1 : 0);
    std::vector<std::vector<double>> sums(target.words.size() + 1, std::vector<double>(width, 0.0));
    std::vector<std::size_t> counts(sums.size(), 0);
    const auto add = [&](std::size_t word, const std::vector<float>& weights) {
        for (std::size_t piece = 0; piece < columns.size(); ++piece) {
            sums[word][columns[piece]] += weights[piece];
        }
        if (has_end(translation)) {
            sums[word].back() += weights.back();
        }
        ++counts[word];
    };
    for (std::size_t piece = 0; piece < target.of_piece.size(); ++piece) {
        for (std::size_t word = target.of_piece[piece].begin; word < target.of_piece[piece].end; ++word) {
            add(word, translation.attention[piece]);
        }
    }
    add(target.words.size(), translation.attention.back());
    for (std::size_t word = 0; word < sums.size(); ++word) {
        std::vector<float>& row = result.rows.emplace_back();
        for (const double sum : sums[word]) {
            row.push_back(static_cast<float>(sum / static_cast<double>(counts[word])));
        }
    }
    return result;
}

std::vector<std::string> pieces_of(const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer) {
    std::vector<std::string> pieces;
    for (const std::int32_t id : ids) {
        pieces.push_back(tokenizer.piece(id));
    }
    return pieces;
}

}  // namespace

AlignmentWeights alignment_weights(const Translation& translation, AlignmentUnits units) {
    if (translation.attention.empty() || units == AlignmentUnits::pieces) {
        return translation.attention;
    }
    WordWeights found = in_words(translation);
    if (!has_end(translation)) {
        return std::move(found.rows);
    }
    AlignmentWeights weights;
    for (const std::vector<float>& row : found.rows) {
        weights.emplace_back(translation.source_words.words.size() + 1, 0.0F).back() = row.back();
        for (std::size_t column = 0; column < found.words.size(); ++column) {
            weights.back()[found.words[column]] = row[column];
        }
    }
    return weights;
}

AlignmentPairs hard_alignment(const Translation& translation, AlignmentUnits units) {
    if (translation.attention.empty() || units == AlignmentUnits::pieces) {
        return hard_alignment(translation.attention, has_end(translation));
    }
    const WordWeights found = in_words(translation);
    AlignmentPairs pairs = hard_alignment(found.rows, has_end(translation));
    for (auto& [source, target] : pairs) {
        source = found.words[source];
    }
    return pairs;
}

AlignmentPairs hard_alignment(const AlignmentWeights& weights, bool has_end) {
    AlignmentPairs pairs;
    for (std::size_t row = 0; row + 1 < weights.size(); ++row) {
        const auto best = std::max_element(weights[row].begin(), weights[row].end());
        if (!has_end || best + 1 != weights[row].end()) {
            pairs.emplace_back(best - weights[row].begin(), row);
        }
    }
    return pairs;
}

std::vector<std::string> source_labels(const Translation& translation, AlignmentUnits units, const Tokenizer& source) {
    std::vector<std::string> labels = pieces_of(translation.source_ids, source);
    if (units == AlignmentUnits::words && !labels.empty()) {
        std::string end = labels.back();
        labels = translation.source_words.words;
        labels.push_back(std::move(end));
    }
    return labels;
}

std::vector<std::string> target_labels(const Translation& translation, AlignmentUnits units, const Tokenizer& target) {
    std::vector<std::string> labels =
        units == AlignmentUnits::words ? translation.target_words.words : pieces_of(translation.ids, target);
    labels.push_back(target.piece(target.special().eos));
    return labels;
}

}  // namespace softalign

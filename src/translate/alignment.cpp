#include "translate/alignment.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace softalign {

namespace {

// The weights of a target piece on source words and the end of the source.
std::vector<double> on_words(const std::vector<float>& weights, const PieceWords& source) {
    std::vector<double> row(source.words.size() + 1, 0.0);
    for (std::size_t piece = 0; piece < source.of_piece.size(); ++piece) {
        row[source.of_piece[piece].begin] += weights[piece];
    }
    row.back() = weights.back();
    return row;
}

AlignmentWeights in_words(const Translation& translation) {
    const PieceWords& target = translation.target_words;
    const std::size_t columns = translation.source_words.words.size() + 1;
    std::vector<std::vector<double>> sums(target.words.size() + 1, std::vector<double>(columns, 0.0));
    std::vector<std::size_t> counts(sums.size(), 0);
    const auto add = [&](std::size_t word, const std::vector<double>& row) {
        std::transform(row.begin(), row.end(), sums[word].begin(), sums[word].begin(), std::plus<>());
        ++counts[word];
    };
    for (std::size_t piece = 0; piece < target.of_piece.size(); ++piece) {
        const std::vector<double> row = on_words(translation.attention[piece], translation.source_words);
        for (std::size_t word = target.of_piece[piece].begin; word < target.of_piece[piece].end; ++word) {
            add(word, row);
        }
    }
    add(target.words.size(), on_words(translation.attention.back(), translation.source_words));
    AlignmentWeights weights;
    for (std::size_t word = 0; word < sums.size(); ++word) {
        std::vector<float>& row = weights.emplace_back();
        for (const double sum : sums[word]) {
            row.push_back(static_cast<float>(sum / static_cast<double>(counts[word])));
        }
    }
    return weights;
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
    return in_words(translation);
}

AlignmentPairs hard_alignment(const AlignmentWeights& weights) {
    AlignmentPairs pairs;
    for (std::size_t row = 0; row + 1 < weights.size(); ++row) {
        const auto best = std::max_element(weights[row].begin(), weights[row].end());
        if (best + 1 != weights[row].end()) {
            pairs.emplace_back(best - weights[row].begin(), row);
        }
    }
    return pairs;
}

std::vector<std::string> source_labels(const Translation& translation, AlignmentUnits units, const Tokenizer& source) {
    std::vector<std::string> labels = pieces_of(translation.source_ids, source);
    if (units == AlignmentUnits::words) {
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

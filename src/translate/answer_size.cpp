#include "translate/batch_translator.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace softalign {

namespace {

// A piece of text, and the word that it makes.
constexpr std::size_t bytes_a_piece = 8;
constexpr std::size_t bytes_a_word = sizeof(std::string) + bytes_a_piece + sizeof(WordRange);

// Vectors that grow may have room for twice what they hold. The rows of attention, which are by far the largest part,
// do not grow.
constexpr std::size_t room = 2;

// Of the constraints of a sentence; the search has one.
constexpr std::size_t copies = 2;

template <typename Number>
std::size_t bytes_of(const std::vector<Number>& numbers) {
    return numbers.capacity() * sizeof(Number);
}

template <typename Number>
std::size_t bytes_of(const std::vector<std::vector<Number>>& rows) {
    return std::accumulate(rows.begin(), rows.end(), rows.capacity() * sizeof(rows[0]),
                           [](std::size_t sum, const std::vector<Number>& row) { return sum + bytes_of(row); });
}

// Of what it has outside itself.
std::size_t bytes_of(const std::string& text) {
    return text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0;
}

std::size_t bytes_of(const PieceWords& words) {
    return std::accumulate(words.words.begin(), words.words.end(),
                           words.words.capacity() * sizeof(std::string) + bytes_of(words.of_piece),
                           [](std::size_t sum, const std::string& word) { return sum + bytes_of(word); });
}

}  // namespace

std::size_t bytes_of(const Translation& translation) {
    return sizeof(translation) + bytes_of(translation.ids) + bytes_of(translation.token_log_probs) +
           bytes_of(translation.model_token_log_probs) + bytes_of(translation.attention) + bytes_of(translation.text) +
           bytes_of(translation.source) + bytes_of(translation.source_ids) + bytes_of(translation.source_words) +
           bytes_of(translation.target_words);
}

std::size_t most_answer_bytes(const EncodedSentence& sentence, const TranslateOptions& options, std::size_t models,
                              bool attention) {
    const std::size_t columns = sentence.positions(0);
    const auto rows = static_cast<std::size_t>(sentence.task.max_length) + 1;
    std::size_t of_row = room * (sizeof(std::int32_t) + (1 + models) * sizeof(float) + bytes_a_piece);
    std::size_t of_translation = sizeof(Translation) + sentence.text().size() + columns * sizeof(std::int32_t) +
                                 models * sizeof(std::vector<float>);
    if (attention) {
        of_row += room * sizeof(std::vector<float>) + columns * sizeof(float);
    }
    if (options.keep_words) {
        of_row += room * bytes_a_word;
        of_translation += bytes_of(sentence.words.numbered);
    }
    return copies * (bytes_of(sentence.task.prefix.nodes) + bytes_of(sentence.task.phrases)) +
           static_cast<std::size_t>(options.search.n_best) * (of_translation + rows * of_row);
}

}  // namespace softalign

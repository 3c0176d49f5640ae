#include "html/sentence_views.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "html/text.h"

namespace softalign {

namespace {

constexpr std::size_t largest_table = 4'000'000;  // cells of the comparison

struct Word {
    std::string_view text;
    std::string_view with_space;  // and the white space before it
};

bool is_space(char32_t code) {
    return code == ' ' || (code >= '\t' && code <= '\r') || code == 0xA0 || code == 0x3000;
}

bool is_ascii_punctuation(char32_t code) {
    return code > ' ' && code < 0x7F && !(code >= '0' && code <= '9') && !(code >= 'A' && code <= 'Z') &&
           !(code >= 'a' && code <= 'z');
}

bool stands_alone(char32_t code) {
    return is_ascii_punctuation(code) || is_wide(code);
}

std::vector<Word> split(std::string_view text) {
    std::vector<Word> words;
    const char* start = text.data();  // of the white space before the next word
    const char* begin = nullptr;      // of a word that goes on
    const auto end_word = [&](const char* end) {
        if (begin != nullptr) {
            words.push_back(
                {{begin, static_cast<std::size_t>(end - begin)}, {start, static_cast<std::size_t>(end - start)}});
            start = end;
            begin = nullptr;
        }
    };
    while (!text.empty()) {
        const Character character = take_character(text);
        const char* at = character.bytes.data();
        if (is_space(character.code)) {
            end_word(at);
        } else if (stands_alone(character.code)) {
            end_word(at);
            begin = at;
            end_word(at + character.bytes.size());
        } else if (begin == nullptr) {
            begin = at;
        }
    }
    end_word(text.data());
    return words;
}

// Which words of both sides belong to a longest common subsequence. `from` of both are equal, as are `tail`.
void mark_common(const std::vector<Word>& left, const std::vector<Word>& right, std::vector<bool>& in_left,
                 std::vector<bool>& in_right, std::size_t from, std::size_t tail) {
    const std::size_t rows = left.size() - from - tail;
    const std::size_t columns = right.size() - from - tail;
    if (rows == 0 || columns == 0 || rows > largest_table / columns) {
        return;
    }
    // length[i][j]: of the longest common subsequence of what follows the i-th and the j-th.
    std::vector<std::uint32_t> length((rows + 1) * (columns + 1), 0);
    const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return length[i * (columns + 1) + j]; };
    const auto same = [&](std::size_t i, std::size_t j) { return left[from + i].text == right[from + j].text; };
    for (std::size_t i = rows; i-- > 0;) {
        for (std::size_t j = columns; j-- > 0;) {
            at(i, j) = same(i, j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
        }
    }
    for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
        if (same(i, j)) {
            in_left[from + i++] = true;
            in_right[from + j++] = true;
        } else if (at(i + 1, j) >= at(i, j + 1)) {
            ++i;
        } else {
            ++j;
        }
    }
}

std::vector<DiffSpan> spans_of(std::string_view text, const std::vector<Word>& words, const std::vector<bool>& shared) {
    std::vector<DiffSpan> spans;
    const auto add = [&](std::string_view part, bool common) {
        if (part.empty()) {
            return;
        }
        if (spans.empty() || spans.back().shared != common) {
            spans.push_back({"", common});
        }
        spans.back().text += part;
    };
    std::size_t done = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view space = words[i].with_space.substr(0, words[i].with_space.size() - words[i].text.size());
        // The space between two words that differ is part of the mark, that at its edge is not.
        add(space, shared[i] || i == 0 || shared[i - 1]);
        add(words[i].text, shared[i]);
        done += words[i].with_space.size();
    }
    add(text.substr(done), true);
    return spans;
}

}  // namespace

WordDiff compare_words(std::string_view left, std::string_view right) {
    const std::vector<Word> a = split(left);
    const std::vector<Word> b = split(right);
    std::vector<bool> in_a(a.size(), false);
    std::vector<bool> in_b(b.size(), false);
    const std::size_t shorter = std::min(a.size(), b.size());
    std::size_t head = 0;
    while (head < shorter && a[head].text == b[head].text) {
        in_a[head] = in_b[head] = true;
        ++head;
    }
    std::size_t tail = 0;
    while (tail < shorter - head && a[a.size() - 1 - tail].text == b[b.size() - 1 - tail].text) {
        in_a[a.size() - 1 - tail] = in_b[b.size() - 1 - tail] = true;
        ++tail;
    }
    mark_common(a, b, in_a, in_b, head, tail);
    return {spans_of(left, a, in_a), spans_of(right, b, in_b)};
}

}  // namespace softalign

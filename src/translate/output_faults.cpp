#include "translate/output_faults.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "text/words.h"

namespace softalign {

namespace {

using Words = std::vector<std::string>;

// How often a block of tokens comes in a row, of the one that does so most; of a single token, one less.
std::size_t longest_run(const std::vector<std::int32_t>& tokens) {
    std::size_t longest = 0;
    for (std::size_t period = 1; 2 * period <= tokens.size(); ++period) {
        std::size_t same = 0;  // tokens in a row that are the same as `period` before them
        for (std::size_t i = period; i < tokens.size(); ++i) {
            same = tokens[i] == tokens[i - period] ? same + 1 : 0;
            longest = std::max(longest, same / period + (period > 1 && same >= period ? 1 : 0));
        }
    }
    return longest;
}

// How often the most frequent sequence of n occurs.
template <typename Token>
std::size_t most_occurrences(const std::vector<Token>& tokens, std::size_t n) {
    std::map<std::vector<Token>, std::size_t> counts;
    std::size_t most = 0;
    for (std::size_t i = 0; i + n <= tokens.size(); ++i) {
        const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(i);
        most = std::max(most, ++counts[{first, first + static_cast<std::ptrdiff_t>(n)}]);
    }
    return most;
}

bool has_letters(const std::string& word) {
    return std::any_of(word.begin(), word.end(), [](unsigned char c) { return c >= 0x80U || std::isalpha(c) != 0; });
}

Words plain_words(const std::string& text) {
    Words words;
    for (const std::string_view word : words_of(text)) {
        words.push_back(lower_ascii(word));
    }
    return words;
}

bool is_loop(const CheckedOutput& output, const Words& words, const Words& source) {
    constexpr std::size_t least = 3;
    const std::size_t run = longest_run(output.pieces);
    if (run >= least && run > longest_run(output.source_pieces)) {
        return true;
    }
    const std::size_t most = most_occurrences(words, 3);
    return most >= least && most > most_occurrences(source, 2) && most > most_occurrences(output.source_pieces, 2);
}

// The length of the longest sequence that both have in this order, perhaps with others in between.
std::size_t common_words(const Words& a, const Words& b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (const std::string& word : a) {
        std::size_t diagonal = 0;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = word == b[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
            diagonal = above;
        }
    }
    return row.back();
}

bool is_copy(const CheckedOutput& output, Words words, Words source) {
    std::set<std::string> asked;
    for (const std::string& text : output.asked) {
        const Words more = plain_words(text);
        asked.insert(more.begin(), more.end());
    }
    for (Words* of : {&words, &source}) {
        of->erase(std::remove_if(of->begin(), of->end(),
                                 [&](const std::string& word) { return !has_letters(word) || asked.count(word) > 0; }),
                  of->end());
    }
    return words.size() >= 4 && 4 * common_words(words, source) >= 3 * words.size();
}

}  // namespace

const char* name_of(OutputFault fault) {
    return fault == OutputFault::loop ? "loop" : fault == OutputFault::copy ? "copy" : "";
}

OutputFault fault_of(const CheckedOutput& output) {
    const Words words = plain_words(output.text);
    const Words source = plain_words(output.source);
    return is_loop(output, words, source)   ? OutputFault::loop
           : is_copy(output, words, source) ? OutputFault::copy
                                            : OutputFault::none;
}

}  // namespace softalign

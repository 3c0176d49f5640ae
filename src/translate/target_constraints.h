#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/options.h"
#include "text/tokenizer.h"

namespace softalign {

// Converts text constraints to constraints on the pieces of a translation.
class TargetConstraints {
public:
    // Reads the pieces of the vocabulary once. `forbid_unk`: no unknown word may follow a complete one. REQUIRES: the
    // tokenizer outlives this.
    explicit TargetConstraints(const Tokenizer& target, bool forbid_unk = false);

    // The piece sequences that spell `text` as the vocabulary normalises it, possibly followed by more. All words
    // except the last are segmented by the tokenizer. The last one may be the start of a word: any pieces that spell it
    // will do, and the last of them may extend beyond it. White space at the end of the text completes the last word:
    // what follows, if anything, must start a new one. A text of white space is no constraint.
    PrefixGraph starts_with(const std::string& text) const;

    // The pieces of a phrase that must occur. Throws Error(data) if it is blank, or if the vocabulary cannot express
    // it.
    std::vector<std::int32_t> phrase(const std::string& text) const;

private:
    // The start of an output: normalised, in pieces.
    struct Start {
        std::string text;
        std::size_t words_end = 0;            // where the white space at its end begins
        bool closed = false;                  // whether its last word is complete
        std::vector<std::int32_t> ids;        // of the pieces
        std::vector<std::size_t> boundaries;  // of the pieces in `text`: where each begins, where the last one ends
    };

    // The text in pieces, without the other members.
    Start segmented(const std::string& text) const;
    Start normalized(const std::string& text) const;
    // The pieces of a start that are kept as they are: those in front of its last word, and those up to the last
    // unknown piece of it, without which it could not be spelled.
    std::size_t before_last_word(const Start& start) const;
    std::size_t after_unknown(const Start& start) const;
    // The `kept` pieces and the ways to spell the rest of the start; empty where there is none.
    PrefixGraph graph_of(const Start& start, std::size_t kept) const;
    // Appends the ways to write `rest` to the graph. False where there is none.
    bool add_rest(const std::string& rest, PrefixGraph& graph) const;
    bool has_text(std::int32_t id) const;

    const Tokenizer& target_;
    bool forbid_unk_;
    std::vector<std::int32_t> silent_;
    std::vector<std::pair<std::string, std::int32_t>> pieces_;  // in the order of what they spell; those with text
    std::size_t longest_ = 0;                                   // of these, in bytes
};

// The pieces of a phrase that a translation must contain. Throws Error(data) if it is blank, or if the vocabulary
// cannot express it.
std::vector<std::int32_t> phrase_pieces(const std::string& text, const Tokenizer& target);

}  // namespace softalign

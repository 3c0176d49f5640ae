#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/options.h"

namespace softalign {

// The progress of a prefix with the phrases that its output must contain.
struct PhraseProgress {
    std::uint64_t done =
        0;                  // bit p: phrase p has occurred, in front of the last token or with it; see Phrases::reached
    std::int32_t node = 0;  // the longest end of the prefix with which a phrase begins, as a node of Phrases
    std::int32_t last = -1;  // the last token; -1: there is none
};

// Phrases that must occur in an output. A phrase occurs where its tokens follow one another; the places of different
// phrases may overlap, or lie in each other. A phrase given n times must occur at n places that begin differently.
// Their order means nothing. What has occurred is followed by an automaton (Aho and Corasick 1975).
//
// As whole words, phrases occur only between word boundaries. One that a prefix ends with counts as if a boundary
// followed, and is lost again where the next token goes on with its last word.
class Phrases {
public:
    static constexpr std::size_t most = 64;

    // whole_words: null where phrases may lie inside words. REQUIRES: at most `most`, none empty; a boundary between
    // any two, and the boundaries outlive this.
    explicit Phrases(const std::vector<std::vector<std::int32_t>>& phrases,
                     const WordBoundaries* whole_words = nullptr);

    bool empty() const { return all_ == 0; }
    std::int64_t tokens() const { return tokens_; }  // of all together

    // The progress of a prefix after one more token.
    PhraseProgress advance(const PhraseProgress& progress, std::int32_t token) const;

    // The number of tokens of the phrases that have occurred.
    std::int64_t occurred(const PhraseProgress& progress) const { return tokens_of(reached(progress)); }

    // The same, and the most tokens at the end of the prefix with which a missing phrase begins. At most tokens() -
    // met() more tokens complete the prefix: each of `wanted` adds at least one. Where a phrase begins with another
    // and goes on inside its last word, `met` is the greater of what either of them makes it.
    std::int64_t met(const PhraseProgress& progress) const;
    bool complete(const PhraseProgress& progress) const { return reached(progress) == all_; }

    // The tokens that bring a prefix on, in rising order: those that add to `met`. Empty only if it is complete or,
    // where phrases are whole words and do not begin with a boundary, inside a word.
    std::vector<std::int32_t> wanted(const PhraseProgress& progress) const;

    // Whether a phrase that the prefix ends with occurs only if a boundary follows.
    bool hangs(const PhraseProgress& progress) const {
        return whole_words_ != nullptr && reached(progress) != progress.done;
    }
    // Whether there is a boundary between the prefix and the token; where words do not matter, there always is.
    bool parts(const PhraseProgress& progress, std::int32_t token) const { return between(progress.last, token); }

private:
    // A beginning of phrases; node 0 is the empty one.
    struct Node {
        std::vector<std::pair<std::int32_t, std::int32_t>> next;  // token, node
        std::int32_t suffix = 0;                                  // the longest other node that this one ends with
        std::int32_t last = -1;                                   // its last token
        std::int64_t length = 0;                                  // tokens
        std::uint64_t begins = 0;                                 // bit p: phrase p begins so and goes on with a word
        std::uint64_t in_word = 0;                                // bit p: or inside its last word
        std::uint64_t is = 0;                                     // bit p: it is phrase p
    };

    void add(const std::vector<std::int32_t>& phrase, std::uint64_t bit);
    void link();
    std::uint64_t reached(const PhraseProgress& progress) const;  // bit p: phrase p has occurred if a boundary follows
    std::int64_t tokens_of(std::uint64_t phrases) const;
    // The tokens of the longest end of the prefix whose `going_on` has one of these phrases.
    std::int64_t begun(std::int32_t node, std::uint64_t Node::*going_on, std::uint64_t phrases) const;
    bool between(std::int32_t last, std::int32_t token) const {
        return whole_words_ == nullptr || last < 0 || whole_words_->between(last, token);
    }
    std::int32_t child(std::int32_t node, std::int32_t token) const;  // -1: none
    std::int32_t step(std::int32_t node, std::int32_t token, bool may_begin) const;
    const Node& at(std::int32_t node) const { return nodes_[static_cast<std::size_t>(node)]; }

    const WordBoundaries* whole_words_;
    std::vector<Node> nodes_;
    std::vector<std::int64_t> lengths_;     // of the phrases
    std::vector<std::int32_t> vocabulary_;  // the tokens of all, rising
    std::int64_t tokens_ = 0;
    std::uint64_t all_ = 0;
};

// How many prefixes of each number of phrase tokens to keep, of `width` together: the beam is shared among the numbers
// 0 ... all, what is left over and what a number cannot fill goes to the greatest number that can (dynamic beam
// allocation, Post and Vilar 2018). available[m]: candidates with m tokens.
std::vector<std::int64_t> share_beam(std::int64_t width, const std::vector<std::int64_t>& available);

}  // namespace softalign

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace softalign {

// The progress of a prefix with the phrases that its output must contain.
struct PhraseProgress {
    std::uint64_t done = 0;  // bit p: phrase p has occurred
    std::int32_t node = 0;   // the longest end of the prefix with which a phrase begins, as a node of Phrases
};

// Phrases that must occur in an output. A phrase occurs where its tokens follow one another; the places of different
// phrases may overlap, or lie in each other. A phrase given n times must occur at n places that begin differently.
// Their order means nothing. What has occurred is followed by an automaton (Aho and Corasick 1975).
class Phrases {
public:
    static constexpr std::size_t most = 64;

    // REQUIRES: at most `most`, none empty.
    explicit Phrases(const std::vector<std::vector<std::int32_t>>& phrases);

    bool empty() const { return all_ == 0; }
    std::int64_t tokens() const { return tokens_; }  // of all together

    // The progress of a prefix after one more token.
    PhraseProgress advance(const PhraseProgress& progress, std::int32_t token) const;

    // The number of tokens of the phrases that have occurred.
    std::int64_t occurred(const PhraseProgress& progress) const;

    // The same, and the most tokens at the end of the prefix with which a missing phrase begins. At most tokens() -
    // met() more tokens complete the prefix: each of `wanted` adds at least one.
    std::int64_t met(const PhraseProgress& progress) const;
    bool complete(const PhraseProgress& progress) const { return progress.done == all_; }

    // The tokens that bring a prefix on, in rising order: those that add to `met`. Empty only if it is complete.
    std::vector<std::int32_t> wanted(const PhraseProgress& progress) const;

private:
    // A beginning of phrases; node 0 is the empty one.
    struct Node {
        std::vector<std::pair<std::int32_t, std::int32_t>> next;  // token, node
        std::int32_t suffix = 0;                                  // the longest other node that this one ends with
        std::int64_t length = 0;                                  // tokens
        std::uint64_t begins = 0;                                 // bit p: phrase p begins so and goes on
        std::uint64_t is = 0;                                     // bit p: it is phrase p
    };

    void add(const std::vector<std::int32_t>& phrase, std::uint64_t bit);
    void link();
    std::int32_t child(std::int32_t node, std::int32_t token) const;  // -1: none
    std::int32_t step(std::int32_t node, std::int32_t token) const;
    const Node& at(std::int32_t node) const { return nodes_[static_cast<std::size_t>(node)]; }

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

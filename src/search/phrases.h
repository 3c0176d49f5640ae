#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softalign {

// The progress of a prefix with the phrases that its output must contain.
struct PhraseProgress {
    std::uint64_t done = 0;     // bit p: phrase p has occurred
    std::int32_t phrase = -1;   // the one being written, -1 = none; it may turn into any that starts alike
    std::int32_t position = 0;  // tokens of it written so far
};

// Phrases that must occur in an output, as sequences of tokens, each at its own place.
class Phrases {
public:
    static constexpr std::size_t most = 64;

    explicit Phrases(std::vector<std::vector<std::int32_t>> phrases);

    bool empty() const { return phrases_.empty(); }
    std::int64_t tokens() const { return tokens_; }  // of all together

    // The progress of a prefix after one more token: the longest suffix with which a missing phrase begins counts; of
    // several such phrases, the first. A phrase that is broken off counts for nothing.
    PhraseProgress advance(const PhraseProgress& progress, std::int32_t token) const;

    // The number of phrase tokens present, including those of the phrase being written.
    std::int64_t met(const PhraseProgress& progress) const;
    bool complete(const PhraseProgress& progress) const;

    // The tokens, each once, that advance a prefix: the next ones of what is being written, else the first ones of the
    // missing phrases.
    std::vector<std::int32_t> wanted(const PhraseProgress& progress) const;

private:
    bool missing(const PhraseProgress& progress, std::size_t phrase) const;
    // Whether a phrase starts as what is being written does.
    bool fits(const PhraseProgress& progress, std::size_t phrase) const;

    std::vector<std::vector<std::int32_t>> phrases_;
    std::int64_t tokens_ = 0;
};

// How many prefixes of each number of phrase tokens to keep, of `width` together: the beam is shared among the numbers
// 0 ... all, what is left over and what a number cannot fill goes to the greatest number that can (dynamic beam
// allocation, Post and Vilar 2018). available[m]: candidates with m tokens.
std::vector<std::int64_t> share_beam(std::int64_t width, const std::vector<std::int64_t>& available);

}  // namespace softalign

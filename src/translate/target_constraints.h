#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "search/prefix_graph.h"
#include "text/tokenizer.h"

namespace softalign {

// Converts text constraints to constraints on the pieces of a translation.
class TargetConstraints {
public:
    // Reads the pieces of the vocabulary once. REQUIRES: the tokenizer outlives this.
    explicit TargetConstraints(const Tokenizer& target);

    // The piece sequences that spell `text`, possibly followed by more. All words except the last are segmented by the
    // tokenizer. The last one may be the start of a word: any pieces that spell it will do, and the last of them may
    // extend beyond it. White space at the end of the text completes the last word: what follows must start a new one.
    // A blank text is no constraint.
    PrefixGraph starts_with(const std::string& text) const;

    // The pieces of a phrase that must occur. Throws Error(data) if it is blank, or if the vocabulary cannot express
    // it.
    std::vector<std::int32_t> phrase(const std::string& text) const;

private:
    // Appends the ways to write `rest` to the graph, or nothing where there is none.
    bool add_rest(const std::string& rest, PrefixGraph& graph) const;
    bool is_plain(std::int32_t id) const;

    const Tokenizer& target_;
    std::vector<std::int32_t> silent_;
    std::vector<std::pair<std::string, std::int32_t>> pieces_;  // in the order of their text; those that are text
    std::size_t longest_ = 0;                                   // of these, in bytes
};

}  // namespace softalign

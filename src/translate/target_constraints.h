#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "search/prefix_graph.h"
#include "text/tokenizer.h"

namespace softalign {

// What a text asks of the pieces of a translation.
class TargetConstraints {
public:
    // Reads the pieces of the vocabulary once. REQUIRES: the tokenizer outlives this.
    explicit TargetConstraints(const Tokenizer& target);

    // The piece sequences that write `text` and may go on after it. All words of it but the last are cut into pieces as
    // the tokenizer cuts them. The last one may be the beginning of a word: any pieces will do that together write it,
    // and the last of these may write more. White space at the end of the text ends the last word: what follows must
    // begin a new one. A blank text asks for nothing.
    PrefixGraph starts_with(const std::string& text) const;

    // The pieces of a phrase that must occur. Throws Error(data) where it is blank, or where the vocabulary cannot
    // write it.
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

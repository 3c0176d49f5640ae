#include "translate/target_constraints.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "text/placeholder_pieces.h"
#include "text/words.h"

namespace softalign {

namespace {

// The first `count` tokens, one way only.
PrefixGraph chain_of(const std::vector<std::int32_t>& ids, std::size_t count) {
    PrefixGraph graph;
    graph.nodes.resize(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
        graph.nodes[i].push_back({ids[i], static_cast<std::int32_t>(i) + 1});
    }
    return graph;
}

}  // namespace

TargetConstraints::TargetConstraints(const Tokenizer& target, bool forbid_unk)
    : target_(target), forbid_unk_(forbid_unk), silent_(target.silent_ids()) {
    for (std::int32_t id = 0; id < target.size(); ++id) {
        if (has_text(id)) {
            pieces_.emplace_back(target.spelling(id), id);
            longest_ = std::max(longest_, pieces_.back().first.size());
        }
    }
    std::sort(pieces_.begin(), pieces_.end());
}

bool TargetConstraints::has_text(std::int32_t id) const {
    const SpecialIds special = target_.special();
    const bool silent = std::find(silent_.begin(), silent_.end(), id) != silent_.end();
    return !silent && id != special.unk && id != special.eos && !target_.spelling(id).empty();
}

PrefixGraph TargetConstraints::starts_with(const std::string& text) const {
    const Start start = normalized(text);
    if (start.words_end == 0) {
        return {};
    }
    const std::size_t kept = before_last_word(start);
    PrefixGraph graph = graph_of(start, kept);
    // What has an unknown piece may be the beginning of a word that is known.
    const std::size_t unknown = after_unknown(start);
    if (graph.nodes.empty() && unknown > kept) {
        graph = graph_of(start, unknown);
    }
    return graph.nodes.empty() ? chain_of(start.ids, start.ids.size()) : graph;
}

TargetConstraints::Start TargetConstraints::segmented(const std::string& text) const {
    Start start;
    for (const auto& [piece, id] : target_.segment(text)) {
        start.ids.push_back(id);
        start.boundaries.push_back(start.text.size());
        start.text += id == target_.special().unk ? piece : target_.spelling(id);
    }
    start.boundaries.push_back(start.text.size());
    return start;
}

TargetConstraints::Start TargetConstraints::normalized(const std::string& text) const {
    Start start = segmented(text);
    start.words_end = start.text.size();
    while (ends_with(std::string_view(start.text).substr(0, start.words_end), space_symbol)) {
        start.words_end -= space_symbol.size();
    }
    // White space at the end, which normalisation may drop, is still there in front of a letter.
    const std::string words = start.text.substr(0, start.words_end);
    start.closed = softalign::starts_with(segmented(text + "a").text, std::string(words).append(space_symbol));
    if (!start.closed) {
        start.text = words;
    } else if (start.text == words) {
        start.text += space_symbol;
    }
    return start;
}

std::size_t TargetConstraints::before_last_word(const Start& start) const {
    const std::size_t mark = start.text.rfind(space_symbol);
    const std::size_t word = start.closed ? start.words_end : (mark == std::string::npos ? 0 : mark);
    const auto after = std::upper_bound(start.boundaries.begin(), start.boundaries.end(), word);
    return static_cast<std::size_t>(after - start.boundaries.begin()) - 1;
}

std::size_t TargetConstraints::after_unknown(const Start& start) const {
    const auto last = std::find(start.ids.rbegin(), start.ids.rend(), target_.special().unk);
    return static_cast<std::size_t>(start.ids.rend() - last);
}

PrefixGraph TargetConstraints::graph_of(const Start& start, std::size_t kept) const {
    PrefixGraph graph = chain_of(start.ids, kept);
    const std::size_t begin = std::min(start.boundaries[kept], start.text.size());
    if (!add_rest(start.text.substr(begin), graph)) {
        return {};
    }
    const std::size_t end = kept + start.words_end - begin;
    if (start.closed && begin <= start.words_end && !graph.nodes[end].empty()) {
        graph.may_end = static_cast<std::int32_t>(end);
        if (!forbid_unk_) {
            graph.nodes[end].push_back({target_.special().unk, static_cast<std::int32_t>(graph.nodes.size()) - 1});
        }
    }
    return graph;
}

bool TargetConstraints::add_rest(const std::string& rest, PrefixGraph& graph) const {
    const std::size_t first = graph.nodes.size() - 1;  // the node of `rest`; node first + b: b bytes of it are written
    std::vector<std::vector<PrefixGraph::Edge>> nodes(rest.size() + 1);
    for (std::size_t written = rest.size(); written-- > 0;) {
        // What is left, or more of it than a piece can be.
        const std::string left = rest.substr(written, longest_ + 1);
        for (std::size_t bytes = 1; bytes < left.size() && bytes <= longest_; ++bytes) {
            const std::size_t after = written + bytes;
            if (nodes[after].empty()) {
                continue;  // from there the rest cannot be written
            }
            const std::pair<std::string, std::int32_t> wanted{left.substr(0, bytes), 0};
            for (auto piece = std::lower_bound(pieces_.begin(), pieces_.end(), wanted);
                 piece != pieces_.end() && piece->first == wanted.first; ++piece) {
                nodes[written].push_back({piece->second, static_cast<std::int32_t>(first + after)});
            }
        }
        for (auto piece = std::lower_bound(pieces_.begin(), pieces_.end(), std::make_pair(left, std::int32_t{0}));
             piece != pieces_.end() && softalign::starts_with(piece->first, left); ++piece) {
            nodes[written].push_back({piece->second, static_cast<std::int32_t>(first + rest.size())});
        }
    }
    if (!rest.empty() && nodes.front().empty()) {
        return false;
    }
    graph.nodes.pop_back();
    graph.nodes.insert(graph.nodes.end(), nodes.begin(), nodes.end());
    return true;
}

std::vector<std::int32_t> phrase_pieces(const std::string& text, const Tokenizer& target) {
    if (is_blank(text)) {
        throw Error(ExitCode::data, "a required phrase is empty; remove it");
    }
    std::vector<std::int32_t> ids = target.encode(text);
    if (ids.size() == 2 && target.piece(ids.back()) == text && is_placeholder(text)) {
        ids.erase(ids.begin());  // the space in front, which a bracket would take the place of
    }
    if (ids.empty() || std::count(ids.begin(), ids.end(), target.special().unk) > 0) {
        throw Error(ExitCode::data, "the phrase '" + beginning_of(text) +
                                        "' cannot be written with the model's target vocabulary; remove it");
    }
    return ids;
}

std::vector<std::int32_t> TargetConstraints::phrase(const std::string& text) const {
    return phrase_pieces(text, target_);
}

}  // namespace softalign

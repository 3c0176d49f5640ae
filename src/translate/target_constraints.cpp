#include "translate/target_constraints.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "text/words.h"

namespace softalign {

namespace {

const std::string word_mark = "\xE2\x96\x81";  // U+2581, with which SentencePiece begins a word

bool starts_with_mark(const std::string& text, const std::string& mark) {
    return text.compare(0, mark.size(), mark) == 0;
}

// A chain of edges from the last node.
void append(PrefixGraph& graph, std::int32_t token) {
    const auto next = static_cast<std::int32_t>(graph.nodes.size());
    graph.nodes.back().push_back({token, next});
    graph.nodes.emplace_back();
}

}  // namespace

TargetConstraints::TargetConstraints(const Tokenizer& target) : target_(target), silent_(target.silent_ids()) {
    for (std::int32_t id = 0; id < target.size(); ++id) {
        if (is_plain(id)) {
            pieces_.emplace_back(target.piece(id), id);
            longest_ = std::max(longest_, pieces_.back().first.size());
        }
    }
    std::sort(pieces_.begin(), pieces_.end());
}

// A piece that is written as it is called: not one of the special ids, nor a byte such as <0x41>.
bool TargetConstraints::is_plain(std::int32_t id) const {
    const SpecialIds special = target_.special();
    const std::string piece = target_.piece(id);
    const bool byte = piece.size() == 6 && starts_with_mark(piece, "<0x") && piece.back() == '>';
    const bool silent = std::find(silent_.begin(), silent_.end(), id) != silent_.end();
    return !silent && id != special.unk && id != special.eos && !byte && !piece.empty();
}

PrefixGraph TargetConstraints::starts_with(const std::string& text) const {
    PrefixGraph graph;
    const std::vector<std::string_view> words = words_of(text);
    if (words.empty()) {
        return graph;
    }
    graph.nodes.emplace_back();
    const std::vector<std::int32_t> ids = target_.encode(text);
    const std::string_view last = words.back();
    const auto last_begin = static_cast<std::size_t>(last.data() - text.data());
    const bool open = last_begin + last.size() == text.size();
    // The pieces of the words that are complete.
    std::size_t closed = open ? target_.encode(text.substr(0, last_begin)).size() : ids.size();
    closed = std::min(closed, ids.size());
    for (std::size_t i = 0; i < closed; ++i) {
        append(graph, ids[i]);
    }
    if (!open) {
        const auto end = static_cast<std::int32_t>(graph.nodes.size());
        for (const auto& [piece, id] : pieces_) {
            if (starts_with_mark(piece, word_mark)) {
                graph.nodes.back().push_back({id, end});
            }
        }
        graph.nodes.emplace_back();
        return graph;
    }
    std::string rest;
    bool plain = true;
    for (std::size_t i = closed; i < ids.size(); ++i) {
        rest += target_.piece(ids[i]);
        plain = plain && is_plain(ids[i]);
    }
    // What has an unknown piece may be the beginning of a word that is known.
    if (!add_rest(plain ? rest : word_mark + std::string(last), graph)) {
        for (std::size_t i = closed; i < ids.size(); ++i) {
            append(graph, ids[i]);
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
            const std::pair<std::string, std::int32_t> wanted{left.substr(0, bytes), 0};
            const std::size_t after = written + bytes;
            for (auto piece = std::lower_bound(pieces_.begin(), pieces_.end(), wanted);
                 !nodes[after].empty() && piece != pieces_.end() && piece->first == wanted.first; ++piece) {
                nodes[written].push_back({piece->second, static_cast<std::int32_t>(first + after)});
            }
        }
        for (auto piece = std::lower_bound(pieces_.begin(), pieces_.end(), std::make_pair(left, std::int32_t{0}));
             piece != pieces_.end() && starts_with_mark(piece->first, left); ++piece) {
            nodes[written].push_back({piece->second, static_cast<std::int32_t>(first + rest.size())});
        }
    }
    if (nodes.front().empty()) {
        return false;
    }
    graph.nodes.pop_back();
    graph.nodes.insert(graph.nodes.end(), nodes.begin(), nodes.end());
    return true;
}

std::vector<std::int32_t> TargetConstraints::phrase(const std::string& text) const {
    if (is_blank(text)) {
        throw Error(ExitCode::data, "a required phrase is empty; remove it");
    }
    std::vector<std::int32_t> ids = target_.encode(text);
    if (ids.empty() || std::count(ids.begin(), ids.end(), target_.special().unk) > 0) {
        throw Error(ExitCode::data,
                    "the phrase '" + text + "' cannot be written with the model's target vocabulary; remove it");
    }
    return ids;
}

}  // namespace softalign

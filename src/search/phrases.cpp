#include "search/phrases.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace softalign {

Phrases::Phrases(const std::vector<std::vector<std::int32_t>>& phrases, const WordBoundaries* whole_words)
    : whole_words_(whole_words), nodes_(1) {
    for (const std::vector<std::int32_t>& phrase : phrases) {
        add(phrase, std::uint64_t{1} << lengths_.size());
        lengths_.push_back(static_cast<std::int64_t>(phrase.size()));
        vocabulary_.insert(vocabulary_.end(), phrase.begin(), phrase.end());
        tokens_ += lengths_.back();
    }
    std::sort(vocabulary_.begin(), vocabulary_.end());
    vocabulary_.erase(std::unique(vocabulary_.begin(), vocabulary_.end()), vocabulary_.end());
    link();
}

void Phrases::add(const std::vector<std::int32_t>& phrase, std::uint64_t bit) {
    std::int32_t node = 0;
    for (const std::int32_t token : phrase) {
        Node& from = nodes_[static_cast<std::size_t>(node)];
        (between(from.last, token) ? from.begins : from.in_word) |= bit;
        std::int32_t next = child(node, token);
        if (next < 0) {
            next = static_cast<std::int32_t>(nodes_.size());
            from.next.emplace_back(token, next);
            nodes_.emplace_back();
            nodes_.back().last = token;
            nodes_.back().length = at(node).length + 1;
        }
        node = next;
    }
    nodes_[static_cast<std::size_t>(node)].is |= bit;
    all_ |= bit;
}

// The shorter nodes first, for a suffix is found by way of theirs.
void Phrases::link() {
    std::vector<std::int32_t> order = {0};
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::int32_t node = order[i];
        for (const auto& [token, next] : at(node).next) {
            nodes_[static_cast<std::size_t>(next)].suffix =
                node == 0 ? 0 : step(at(node).suffix, token, between(at(node).last, token));
            order.push_back(next);
        }
    }
}

std::int32_t Phrases::child(std::int32_t node, std::int32_t token) const {
    const auto& next = at(node).next;
    const auto found = std::find_if(next.begin(), next.end(), [&](const auto& edge) { return edge.first == token; });
    return found == next.end() ? -1 : found->second;
}

std::int32_t Phrases::step(std::int32_t node, std::int32_t token, bool may_begin) const {
    for (; node != 0; node = at(node).suffix) {
        const std::int32_t next = child(node, token);
        if (next >= 0) {
            return next;
        }
    }
    return may_begin ? std::max(child(0, token), 0) : 0;
}

PhraseProgress Phrases::advance(const PhraseProgress& progress, std::int32_t token) const {
    const bool boundary = between(progress.last, token);
    return {boundary ? reached(progress) : progress.done, step(progress.node, token, boundary), token};
}

std::uint64_t Phrases::reached(const PhraseProgress& progress) const {
    std::uint64_t done = progress.done;
    for (std::int32_t end = progress.node; end != 0; end = at(end).suffix) {
        const std::uint64_t missing = at(end).is & ~done;
        done |= missing & (~missing + 1);  // the first; several are the same phrase, which occurs here once
    }
    return done;
}

std::int64_t Phrases::tokens_of(std::uint64_t phrases) const {
    std::int64_t tokens = 0;
    for (std::size_t p = 0; p < lengths_.size(); ++p) {
        tokens += (phrases >> p & 1U) != 0 ? lengths_[p] : 0;
    }
    return tokens;
}

std::int64_t Phrases::begun(std::int32_t node, std::uint64_t Node::*going_on, std::uint64_t phrases) const {
    while (node != 0 && (at(node).*going_on & phrases) == 0) {
        node = at(node).suffix;
    }
    return at(node).length;
}

std::int64_t Phrases::met(const PhraseProgress& progress) const {
    const std::uint64_t now = reached(progress);
    const std::int64_t with_word = tokens_of(now) + begun(progress.node, &Node::begins, ~now);
    const std::int64_t in_word = tokens_of(progress.done) + begun(progress.node, &Node::in_word, ~progress.done);
    return std::max(with_word, in_word);
}

std::vector<std::int32_t> Phrases::wanted(const PhraseProgress& progress) const {
    const std::int64_t now = met(progress);
    std::vector<std::int32_t> tokens;
    std::copy_if(vocabulary_.begin(), vocabulary_.end(), std::back_inserter(tokens),
                 [&](std::int32_t token) { return met(advance(progress, token)) > now; });
    return tokens;
}

std::vector<std::int64_t> share_beam(std::int64_t width, const std::vector<std::int64_t>& available) {
    const auto banks = static_cast<std::int64_t>(available.size());
    std::vector<std::int64_t> shares(available.size());
    std::int64_t left = width;
    for (std::size_t bank = 0; bank < available.size(); ++bank) {
        shares[bank] = std::min(width / banks, available[bank]);
        left -= shares[bank];
    }
    for (std::size_t bank = available.size(); bank-- > 0;) {
        const std::int64_t more = std::min(left, available[bank] - shares[bank]);
        shares[bank] += more;
        left -= more;
    }
    return shares;
}

}  // namespace softalign

#include "document/mark_placement.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/kept_spans.h"
#include "document/mark_writing.h"
#include "document/placeholders.h"
#include "document/text_units.h"
#include "document/word_tokens.h"
#include "text/placeholder_pieces.h"
#include "text/words.h"

namespace softalign {

namespace {

// What the tags of a parent have taken.
struct Taken {
    std::vector<TextRange> runs;
    TextRange gaps;  // the first and the last gap outside of those that cross the ends of the sentence

    void add(const MarkNode& node) {
        runs.push_back(node.target);
        gaps.begin = node.tag->from_before ? std::max(gaps.begin, node.target.end) : gaps.begin;
        gaps.end = node.tag->into_next ? std::max(std::min(gaps.end, node.target.begin), gaps.begin) : gaps.end;
    }
};

// What of the range is in none of those that are taken, in order.
std::vector<TextRange> free_of(TextRange range, std::vector<TextRange> taken) {
    std::sort(taken.begin(), taken.end(), [](TextRange a, TextRange b) { return a.begin < b.begin; });
    std::vector<TextRange> free;
    for (const TextRange& run : taken) {
        if (run.begin > range.begin) {
            free.push_back({range.begin, run.begin});
        }
        range.begin = std::max(range.begin, run.end);
    }
    if (range.begin < range.end) {
        free.push_back(range);
    }
    return free;
}

class Placement {
public:
    Placement(const MarkedSentence& source, std::string_view translation, const WordLinks& links,
              const std::vector<std::string>& phrases)
        : source_(source),
          source_tokens_(signed_tokens(source.text)),
          target_tokens_(signed_tokens(translation)),
          translation_(translation),
          links_(token_links(links, source_tokens_, target_tokens_)) {
        link_spans();
        keep_together(phrases);
        build();
        nodes_.front().target = {0, target_tokens_.size()};
        // Tags may be nested deeper than a stack of calls may be.
        for (std::vector<std::size_t> waiting{0}; !waiting.empty();) {
            const std::size_t parent = waiting.back();
            waiting.pop_back();
            place_children(parent);
            for (const std::size_t child : nodes_[parent].children) {
                if (nodes_[child].tag != nullptr) {
                    waiting.push_back(child);
                }
            }
        }
    }

    // Of the placeholders that the source holds, those that are in other tags than there. Empty if there is none.
    std::vector<bool> astray() const;

    std::string written() const { return written_marks(source_, translation_, target_tokens_, nodes_); }

private:
    void link_spans();
    void keep_together(const std::vector<std::string>& phrases);
    void build();
    void place_children(std::size_t parent);
    void place_tag(MarkNode& node, const MarkNode& parent, const Taken& taken);
    std::size_t gap_of(const MarkNode& node, const MarkNode& parent, const Taken& taken) const;
    double share(const MarkNode& node, std::size_t token) const;
    double value(const MarkNode& node, std::size_t target) const;
    std::optional<TextRange> best_run(const MarkNode& node, const std::vector<TextRange>& free) const;
    std::optional<std::size_t> most_linked(std::size_t source, TextRange range) const;

    const MarkedSentence& source_;
    const std::vector<WordToken> source_tokens_;
    const std::vector<WordToken> target_tokens_;
    const std::string_view translation_;
    WordLinks links_;
    std::vector<bool> is_inside_;  // of each target token: whether it goes on a phrase
    std::vector<MarkNode> nodes_;  // the first is the sentence
};

// Placeholders, and numbers that occur once, come from the same ones in the source, whatever the model attended to, and
// weigh more than all words, so that a tag keeps the spans that are in it.
void Placement::link_spans() {
    std::map<std::string_view, std::vector<std::size_t>> in_source;
    std::map<std::string_view, std::vector<std::size_t>> in_target;
    const auto add = [](const std::vector<WordToken>& tokens, std::string_view text, auto& places) {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const std::string_view token = tokens[i].range.of(text);
            if (is_placeholder(token) || has_digit(token)) {
                places[token].push_back(i);
            }
        }
    };
    add(source_tokens_, source_.text, in_source);
    add(target_tokens_, translation_, in_target);
    for (const auto& [text, targets] : in_target) {
        const auto same = in_source.find(text);
        if (same == in_source.end() || (!is_placeholder(text) && targets.size() + same->second.size() > 2)) {
            continue;
        }
        for (const std::size_t target : targets) {
            std::fill(links_[target].begin(), links_[target].end(), 0.0F);
            links_[target][same->second.front()] = static_cast<float>(target_tokens_.size());
        }
    }
}

void Placement::keep_together(const std::vector<std::string>& phrases) {
    is_inside_.resize(target_tokens_.size() + 1, false);
    const std::vector<std::string_view> words = words_of(translation_);
    for (const std::string& phrase : phrases) {
        const std::vector<std::string_view> parts = words_of(phrase);
        for (const TextRange& run : runs_of(parts, words)) {
            const std::string_view last = words[run.end - 1];
            const char* const begin = words[run.begin].data() + words[run.begin].find(parts.front());
            const char* const end = last.data() + last.find(parts.back()) + parts.back().size();
            const auto token_of = [this](const char* place) {
                const auto byte = static_cast<std::size_t>(place - translation_.data());
                return std::lower_bound(target_tokens_.begin(), target_tokens_.end(), byte,
                                        [](const WordToken& token, std::size_t at) { return token.range.begin < at; }) -
                       target_tokens_.begin();
            };
            for (auto token = token_of(begin + 1); token < token_of(end); ++token) {
                is_inside_[static_cast<std::size_t>(token)] = true;
            }
        }
    }
}

std::vector<bool> Placement::astray() const {
    std::vector<bool> all;
    for (std::size_t t = 0; !source_.held.empty() && !source_.tags.empty() && t < target_tokens_.size(); ++t) {
        const std::string_view text = target_tokens_[t].range.of(translation_);
        const std::size_t number = is_placeholder(text) ? placeholder_number(text) : source_.held.size();
        if (number >= source_.held.size()) {
            continue;
        }
        std::vector<bool> is_outer(source_.tags.size(), false);
        for (std::size_t tag = source_.held[number].outer; tag != MarkedSentence::nothing;
             tag = source_.tags[tag].outer) {
            is_outer[tag] = true;
        }
        for (std::size_t tag = 0; tag < is_outer.size(); ++tag) {
            const TextRange range = nodes_[tag + 1].target;
            if (is_outer[tag] != (range.begin <= t && t < range.end)) {
                all.resize(source_.held.size(), false);
                all[number] = true;
            }
        }
    }
    return all;
}

void Placement::build() {
    nodes_.push_back({nullptr, nullptr, 0, {0, source_.text.size()}, {}, {}});
    for (const MarkedSentence::Tag& tag : source_.tags) {
        nodes_.push_back({&tag, nullptr, tag.place, tag.range, {}, {}});
    }
    for (const MarkedSentence::Copy& copy : source_.copies) {
        nodes_.push_back({nullptr, &copy, copy.place, {copy.at, copy.at}, {}, {}});
    }
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
        const std::size_t outer = nodes_[i].tag != nullptr ? nodes_[i].tag->outer : nodes_[i].copy->outer;
        nodes_[outer == MarkedSentence::nothing ? 0 : outer + 1].children.push_back(i);
    }
    for (MarkNode& node : nodes_) {
        std::stable_sort(node.children.begin(), node.children.end(), [this](std::size_t a, std::size_t b) {
            const MarkNode& x = nodes_[a];
            const MarkNode& y = nodes_[b];
            return x.source.begin != y.source.begin ? x.source.begin < y.source.begin : x.place < y.place;
        });
    }
}

// How much of a source token is in the node.
double Placement::share(const MarkNode& node, std::size_t token) const {
    const TextRange range = source_tokens_[token].range;
    const std::size_t begin = std::max(range.begin, node.source.begin);
    const std::size_t end = std::min(range.end, node.source.end);
    return begin < end ? static_cast<double>(end - begin) / static_cast<double>(range.size()) : 0.0;
}

// More than 0 where more of the target token comes from inside the node than from outside.
double Placement::value(const MarkNode& node, std::size_t target) const {
    double sum = 0.0;
    for (std::size_t s = 0; s < source_tokens_.size(); ++s) {
        sum += links_[target][s] * (share(node, s) - 0.5);
    }
    return sum;
}

// The free run with the greatest sum of values; where none is above 0, the token with the greatest value.
std::optional<TextRange> Placement::best_run(const MarkNode& node, const std::vector<TextRange>& free) const {
    std::optional<TextRange> best;
    double most = -std::numeric_limits<double>::infinity();
    for (const TextRange& range : free) {
        double sum = 0.0;
        std::size_t begin = range.begin;
        for (std::size_t t = range.begin; t < range.end; ++t) {
            if (sum <= 0.0) {
                sum = 0.0;
                begin = t;
            }
            sum += value(node, t);
            if (sum > most) {
                most = sum;
                best = TextRange{begin, t + 1};
            }
        }
    }
    return best;
}

void Placement::place_tag(MarkNode& node, const MarkNode& parent, const Taken& taken) {
    const std::vector<TextRange> free = free_of(parent.target, taken.runs);
    const MarkedSentence::Tag& tag = *node.tag;
    bool is_whole = tag.range.size() > 0;
    for (std::size_t s = 0; s < source_tokens_.size(); ++s) {
        is_whole = is_whole && share(node, s) >= share(parent, s);
    }
    if ((tag.from_before && tag.into_next) || (is_whole && free.size() == 1)) {
        node.target = free.empty() ? TextRange{parent.target.begin, parent.target.begin} : free.front();
        return;
    }
    if (tag.from_before || tag.into_next) {
        // As many tokens from the beginning, or the end, as give the greatest sum.
        const std::size_t edge = tag.from_before ? parent.target.begin : parent.target.end;
        TextRange range{edge, edge};
        if (!free.empty() && (tag.from_before ? free.front().begin : free.back().end) == edge) {
            range = tag.from_before ? free.front() : free.back();
        }
        double sum = 0.0;
        double most = 0.0;
        std::size_t count = 0;
        for (std::size_t n = 1; n <= range.size(); ++n) {
            sum += value(node, tag.from_before ? range.begin + n - 1 : range.end - n);
            if (sum > most) {
                most = sum;
                count = n;
            }
        }
        node.target =
            tag.from_before ? TextRange{range.begin, range.begin + count} : TextRange{range.end - count, range.end};
        return;
    }
    if (const std::optional<TextRange> run = tag.range.size() > 0 ? best_run(node, free) : std::nullopt) {
        node.target = *run;
        return;
    }
    const std::size_t gap = gap_of(node, parent, taken);
    node.target = {gap, gap};
}

std::optional<std::size_t> Placement::most_linked(std::size_t source, TextRange range) const {
    std::optional<std::size_t> best;
    for (std::size_t t = range.begin; t < range.end; ++t) {
        const float link = links_[t][source];
        if (link > 0.0F && (!best || link > links_[*best][source])) {
            best = t;
        }
    }
    return best;
}

// A place between tokens for what has none, outside of its neighbours.
std::size_t Placement::gap_of(const MarkNode& node, const MarkNode& parent, const Taken& taken) const {
    // The first token from this one on that begins at a place or behind it, or that ends behind it.
    const auto next_from = [this](std::size_t from, std::size_t place, bool ends) {
        const auto is_before = [place, ends](const WordToken& token) {
            return ends ? token.range.end <= place : token.range.begin < place;
        };
        const auto begin = source_tokens_.begin();
        return static_cast<std::size_t>(
            std::partition_point(begin + static_cast<std::ptrdiff_t>(from), source_tokens_.end(), is_before) - begin);
    };
    const std::size_t first = next_from(0, parent.source.begin, true);
    const std::size_t end = parent.source.size() > 0 ? next_from(first, parent.source.end, false) : first;
    const std::size_t middle = std::min(next_from(first, node.source.begin, false), end);
    const std::size_t rest = next_from(middle, node.source.end, true);
    const auto before = middle > first ? std::make_optional(middle - 1) : std::nullopt;
    auto behind = rest < end ? std::make_optional(rest) : std::nullopt;
    // Punctuation says little about the place.
    if (before && behind && source_tokens_[*behind].punctuation && !source_tokens_[*before].punctuation) {
        behind.reset();
    }
    std::size_t wanted = before ? parent.target.end : parent.target.begin;
    const std::optional<std::size_t> next = behind ? most_linked(*behind, parent.target) : std::nullopt;
    const std::optional<std::size_t> last = before ? most_linked(*before, parent.target) : std::nullopt;
    if (behind && !before) {
        wanted = parent.target.begin;
    } else if (next) {
        wanted = *next;
    } else if (last) {
        wanted = *last + 1;
    }
    wanted = std::clamp(wanted, taken.gaps.begin, taken.gaps.end);
    const auto is_allowed = [&](std::size_t gap) {
        const bool is_end = gap == taken.gaps.begin || gap == taken.gaps.end;
        return (is_end || !is_inside_[gap]) && std::none_of(taken.runs.begin(), taken.runs.end(), [gap](TextRange run) {
                   return run.begin < gap && gap < run.end;
               });
    };
    for (std::size_t distance = 0;; ++distance) {
        if (wanted + distance <= taken.gaps.end && is_allowed(wanted + distance)) {
            return wanted + distance;
        }
        if (wanted >= taken.gaps.begin + distance && is_allowed(wanted - distance)) {
            return wanted - distance;
        }
    }
}

void Placement::place_children(std::size_t parent_number) {
    const MarkNode& parent = nodes_[parent_number];
    std::vector<std::size_t> tags;
    std::vector<std::size_t> copies;
    for (const std::size_t child : parent.children) {
        (nodes_[child].tag != nullptr ? tags : copies).push_back(child);
    }
    // What crosses the ends of the sentence first, then the shorter before the longer: it says more exactly where it
    // belongs.
    std::stable_sort(tags.begin(), tags.end(), [this](std::size_t a, std::size_t b) {
        const auto rank = [](const MarkedSentence::Tag& tag) { return tag.from_before || tag.into_next ? 0 : 1; };
        const int of_a = rank(*nodes_[a].tag);
        const int of_b = rank(*nodes_[b].tag);
        return of_a != of_b ? of_a < of_b : nodes_[a].source.size() < nodes_[b].source.size();
    });
    Taken taken{{}, parent.target};
    for (const std::size_t tag : tags) {
        place_tag(nodes_[tag], parent, taken);
        taken.add(nodes_[tag]);
    }
    for (const std::size_t copy : copies) {
        const std::size_t gap = gap_of(nodes_[copy], parent, taken);
        nodes_[copy].target = {gap, gap};
    }
    std::stable_sort(nodes_[parent_number].children.begin(), nodes_[parent_number].children.end(),
                     [this](std::size_t a, std::size_t b) {
                         const TextRange x = nodes_[a].target;
                         const TextRange y = nodes_[b].target;
                         return x.begin != y.begin ? x.begin < y.begin : x.end < y.end;
                     });
}

}  // namespace

std::string with_marks(const MarkedSentence& source, const std::string& translation, const WordLinks& links,
                       const std::vector<std::string>& phrases) {
    if (source.tags.empty() && source.copies.empty()) {
        return written_part(translation, source);
    }
    const Placement placement(source, translation, links, phrases);
    if (std::vector<bool> astray = placement.astray(); !astray.empty()) {
        const LinkedTranslation without = without_held({source, translation, links}, std::move(astray));
        return with_marks(without.source, without.text, without.links, phrases);
    }
    return placement.written();
}

}  // namespace softalign

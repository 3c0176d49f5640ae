#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "search/search.h"
#include "toy_model.h"

namespace softalign {

// The scores of search/scoring.h, written out.
inline double plain_score(const SearchOptions& options, double log_prob, std::size_t tokens, double coverage) {
    const double length = static_cast<double>(tokens);
    const double base = options.length_norm == LengthNorm::wu ? (5.0 + length) / 6.0 : length;
    return log_prob / std::pow(base, options.length_alpha) + options.coverage_penalty * coverage -
           options.word_penalty * length;
}

using Tokens = std::vector<std::int32_t>;

// A sentence as a plain search sees it: functions of the whole prefix.
struct PlainSentence {
    std::int64_t vocabulary;
    std::function<std::vector<float>(const Tokens& prefix)> log_probs;
    std::function<std::vector<float>(const Tokens& prefix)> attention;
    const SearchTask& task;
};

inline PlainSentence toy_sentence(const ToyLanguage& language, std::uint64_t key, const SearchTask& task) {
    return {language.vocabulary, [=](const Tokens& prefix) { return language.log_probs(key, prefix); },
            [=](const Tokens& prefix) { return language.attention(key, prefix); }, task};
}

inline double plain_coverage(const PlainSentence& sentence, const std::vector<std::int32_t>& ids) {
    double result = 0.0;
    for (std::int64_t position = 0; position < sentence.task.source_length; ++position) {
        double sum = 0.0;
        for (std::size_t t = 0; t <= ids.size(); ++t) {
            const std::vector<std::int32_t> prefix(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(t));
            sum += sentence.attention(prefix)[static_cast<std::size_t>(position)];
        }
        result += std::log(std::min(std::max(sum, 1e-6), 1.0));
    }
    return result;
}

// Whether `tokens` contain a sequence of n tokens twice.
inline bool repeats(const std::vector<std::int32_t>& tokens, std::int64_t n) {
    std::set<std::vector<std::int32_t>> seen;
    for (std::size_t i = 0; n > 0 && i + static_cast<std::size_t>(n) <= tokens.size(); ++i) {
        const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(i);
        if (!seen.insert({first, first + static_cast<std::ptrdiff_t>(n)}).second) {
            return true;
        }
    }
    return false;
}

// The node that a walk with these tokens comes to, or the last one before it finds no edge. Whether the start is
// complete there.
inline bool walk(const PrefixGraph& graph, const Tokens& tokens, std::size_t& node) {
    node = 0;
    for (const std::int32_t token : tokens) {
        if (graph.nodes.empty()) {
            break;
        }
        const std::vector<PrefixGraph::Edge>& edges = graph.nodes[node];
        const auto edge = std::find_if(edges.begin(), edges.end(), [&](const auto& e) { return e.token == token; });
        if (edge == edges.end()) {
            break;
        }
        node = static_cast<std::size_t>(edge->to);
    }
    return graph.nodes.empty() || graph.nodes[node].empty();
}

// The fewest tokens with which some walk from a node comes to the end of a graph or, with `to_end`, to where the output
// may end.
inline std::int64_t plain_distance(const PrefixGraph& graph, std::size_t node, bool to_end) {
    if (graph.nodes.empty() || graph.nodes[node].empty() || (to_end && static_cast<int>(node) == graph.may_end)) {
        return 0;
    }
    std::int64_t least = 1000;
    for (const PrefixGraph::Edge& edge : graph.nodes[node]) {
        least = std::min(least, 1 + plain_distance(graph, static_cast<std::size_t>(edge.to), to_end));
    }
    return least;
}

// Whether there is a boundary in front of tokens[place]; without boundaries, there is one everywhere.
inline bool parted(const WordBoundaries* words, const Tokens& tokens, std::size_t place) {
    return words == nullptr || place == 0 || place == tokens.size() || words->between(tokens[place - 1], tokens[place]);
}

// At how many places a phrase begins in `tokens`, as whole words.
inline std::int64_t places(const Tokens& phrase, const Tokens& tokens, const WordBoundaries* words) {
    std::int64_t count = 0;
    for (std::size_t begin = 0; begin + phrase.size() <= tokens.size(); ++begin) {
        const bool there =
            std::equal(phrase.begin(), phrase.end(), tokens.begin() + static_cast<std::ptrdiff_t>(begin));
        count += there && parted(words, tokens, begin) && parted(words, tokens, begin + phrase.size()) ? 1 : 0;
    }
    return count;
}

// The tokens of the phrases that `tokens` lacks.
inline std::int64_t missing_tokens(const std::vector<Tokens>& phrases, const Tokens& tokens,
                                   const WordBoundaries* words) {
    std::int64_t missing = 0;
    for (auto phrase = phrases.begin(); phrase != phrases.end(); ++phrase) {
        const bool there = places(*phrase, tokens, words) > std::count(phrases.begin(), phrase, *phrase);
        missing += there ? 0 : static_cast<std::int64_t>(phrase->size());
    }
    return missing;
}

// Whether `token` may follow `prefix` by the rules about single outputs.
inline bool may_follow(const SearchOptions& options, const SearchTask& task, const Tokens& prefix, std::int32_t token) {
    Tokens longer = prefix;
    longer.push_back(token);
    const std::int64_t missing = missing_tokens(task.phrases, prefix, task.whole_words);
    const bool may_end = missing == 0 && static_cast<std::int64_t>(prefix.size()) >= task.min_length;
    std::size_t node = 0;
    if (!walk(task.prefix, prefix, node)) {
        const bool optional = static_cast<int>(node) == task.prefix.may_end;
        if (token == options.eos || (optional && token == options.unk)) {
            return token == options.eos && optional && may_end;
        }
        std::size_t next = node;
        walk(task.prefix, longer, next);
        const std::int64_t rest = plain_distance(task.prefix, next, task.phrases.empty());
        return next != node && static_cast<std::int64_t>(longer.size()) + rest + missing <= task.max_length;
    }
    if (token == options.unk) {
        return false;
    }
    if (token == options.eos) {
        return may_end;
    }
    if (options.no_repeat_ngram == 0) {
        return true;
    }
    // Of a given start the repetitions are not this token's.
    const auto n = static_cast<std::size_t>(options.no_repeat_ngram);
    for (std::size_t i = 0; longer.size() >= n && i + n < longer.size(); ++i) {
        const auto first = longer.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::equal(first, first + static_cast<std::ptrdiff_t>(n), longer.end() - static_cast<std::ptrdiff_t>(n))) {
            return false;
        }
    }
    return true;
}

// Whether each phrase occurs at as many places as it is asked for.
inline bool has_all(const std::vector<Tokens>& phrases, const Tokens& tokens, const WordBoundaries* words = nullptr) {
    return std::all_of(phrases.begin(), phrases.end(), [&](const Tokens& phrase) {
        return places(phrase, tokens, words) >= std::count(phrases.begin(), phrases.end(), phrase);
    });
}

inline Hypothesis plain_hypothesis(const PlainSentence& sentence, const SearchOptions& options,
                                   const std::vector<std::int32_t>& ids, double log_prob) {
    Hypothesis hypothesis;
    hypothesis.ids = ids;
    hypothesis.log_prob = log_prob;
    if (options.coverage_penalty > 0.0) {
        hypothesis.coverage = plain_coverage(sentence, ids);
    }
    hypothesis.score = plain_score(options, log_prob, ids.size() + 1, hypothesis.coverage);
    return hypothesis;
}

inline void sort_by_score(std::vector<Hypothesis>& hypotheses) {
    std::stable_sort(hypotheses.begin(), hypotheses.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
}

// The definition in search.h without phrases, for one sentence, word for word: whole prefixes copied, every candidate
// sorted, no early stop but patience.
inline std::vector<Hypothesis> reference_search(const PlainSentence& sentence, const SearchOptions& options) {
    struct Prefix {
        double log_prob = 0.0;
        std::vector<std::int32_t> tokens;
        double rank = 0.0;
    };
    struct Group {
        std::vector<Prefix> live = std::vector<Prefix>(1);
        std::vector<Hypothesis> finished;
    };
    const auto width = static_cast<std::size_t>(options.beam / options.groups);
    std::vector<Group> groups(static_cast<std::size_t>(options.groups));
    const auto running = [&] {
        return std::any_of(groups.begin(), groups.end(), [](const Group& group) { return !group.live.empty(); });
    };
    for (std::int64_t step = 0; running(); ++step) {
        std::vector<std::int32_t> chosen;
        for (Group& group : groups) {
            std::vector<Prefix> candidates;
            for (const Prefix& prefix : group.live) {
                const std::vector<float> log_probs = sentence.log_probs(prefix.tokens);
                for (std::int32_t token = 0; token < sentence.vocabulary; ++token) {
                    const bool allowed = (step < sentence.task.max_length || token == options.eos) &&
                                         may_follow(options, sentence.task, prefix.tokens, token);
                    if (allowed) {
                        candidates.push_back(prefix);
                        candidates.back().log_prob += log_probs[static_cast<std::size_t>(token)];
                        candidates.back().rank = candidates.back().log_prob;
                        candidates.back().tokens.push_back(token);
                        if (step < sentence.task.max_length) {
                            candidates.back().rank -= options.diversity * static_cast<double>(std::count(
                                                                              chosen.begin(), chosen.end(), token));
                        }
                    }
                }
            }
            if (step < sentence.task.max_length) {
                std::stable_sort(candidates.begin(), candidates.end(),
                                 [](const Prefix& a, const Prefix& b) { return a.rank > b.rank; });
            }
            group.live.clear();
            for (std::size_t i = 0; i < candidates.size(); ++i) {
                std::vector<std::int32_t> ids = candidates[i].tokens;
                const std::int32_t token = ids.back();
                ids.pop_back();
                if (token == options.eos && (i < width || step == sentence.task.max_length)) {
                    group.finished.push_back(plain_hypothesis(sentence, options, ids, candidates[i].log_prob));
                    chosen.push_back(token);
                } else if (token != options.eos) {
                    group.live.push_back(candidates[i]);
                    chosen.push_back(token);
                }
                if (group.live.size() == width) {
                    break;
                }
            }
            const std::size_t n_best = std::min(static_cast<std::size_t>(options.n_best), width);
            const auto loses = [&](const Prefix& prefix) {
                const double score = plain_score(options, prefix.log_prob, prefix.tokens.size(), 0.0);
                return std::any_of(group.finished.begin(), group.finished.end(),
                                   [&](const Hypothesis& finished) { return finished.score >= score; });
            };
            if (options.patience > 0.0 && group.finished.size() >= n_best &&
                static_cast<double>(group.finished.size()) >= options.patience * static_cast<double>(width) &&
                (width == 1 || std::all_of(group.live.begin(), group.live.end(), loses))) {
                group.live.clear();
            }
        }
    }
    for (Group& group : groups) {
        sort_by_score(group.finished);
        group.finished.resize(std::min({group.finished.size(), width, static_cast<std::size_t>(options.n_best)}));
    }
    std::vector<Hypothesis> result;
    for (std::size_t rank = 0; rank < width; ++rank) {
        std::vector<Hypothesis> of_rank;
        for (const Group& group : groups) {
            if (rank < group.finished.size()) {
                of_rank.push_back(group.finished[rank]);
            }
        }
        sort_by_score(of_rank);
        for (const Hypothesis& hypothesis : of_rank) {
            if (std::none_of(result.begin(), result.end(),
                             [&](const Hypothesis& other) { return other.ids == hypothesis.ids; })) {
                result.push_back(hypothesis);
            }
        }
    }
    result.resize(std::min(result.size(), static_cast<std::size_t>(options.n_best)));
    return result;
}

// Every output of at most max_length tokens that the rules and the phrases allow, best first.
inline std::vector<Hypothesis> brute_force(const PlainSentence& sentence, const SearchOptions& options) {
    std::vector<Hypothesis> open(1);
    std::vector<Hypothesis> all;
    for (std::int64_t length = 0; length <= sentence.task.max_length; ++length) {
        std::vector<Hypothesis> longer;
        for (const Hypothesis& prefix : open) {
            const std::vector<float> log_probs = sentence.log_probs(prefix.ids);
            for (std::int32_t token = 0; token < sentence.vocabulary; ++token) {
                if (!may_follow(options, sentence.task, prefix.ids, token)) {
                    continue;
                }
                Hypothesis next = prefix;
                next.log_prob += log_probs[static_cast<std::size_t>(token)];
                if (token != options.eos) {
                    next.ids.push_back(token);
                    longer.push_back(next);
                } else if (has_all(sentence.task.phrases, next.ids, sentence.task.whole_words)) {
                    all.push_back(plain_hypothesis(sentence, options, next.ids, next.log_prob));
                }
            }
        }
        open = longer;
    }
    sort_by_score(all);
    return all;
}

}  // namespace softalign

#include "search/phrases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference_search.h"
#include "search/scoring.h"

namespace softalign {
namespace {

PhraseProgress after(const Phrases& phrases, const Tokens& tokens) {
    PhraseProgress progress;
    for (const std::int32_t token : tokens) {
        progress = phrases.advance(progress, token);
    }
    return progress;
}

std::int64_t met(const std::vector<Tokens>& phrases, const Tokens& tokens) {
    const Phrases all(phrases);
    return all.met(after(all, tokens));
}

TEST(Phrases, CountTheTokensThatAreThere) {
    EXPECT_EQ(met({{1, 2, 3}}, {}), 0);
    EXPECT_EQ(met({{1, 2, 3}}, {7, 1}), 1);
    EXPECT_EQ(met({{1, 2, 3}}, {7, 1, 2}), 2);
    EXPECT_EQ(met({{1, 2, 3}}, {7, 1, 2, 9}), 0);
    EXPECT_EQ(met({{1, 2, 3}}, {7, 1, 2, 3, 9, 9}), 3);
    EXPECT_EQ(met({{1, 2}, {3}}, {3, 5, 1, 2}), 3);
}

TEST(Phrases, OneIsFoundBehindItsOwnBeginning) {
    EXPECT_EQ(met({{1, 1, 2}}, {1, 1, 1, 2}), 3);
    EXPECT_EQ(met({{1, 2, 1, 3}}, {1, 2, 1, 2, 1, 3}), 4);
    EXPECT_EQ(met({{1, 2, 4}, {2, 3}}, {1, 2, 3}), 2);
}

TEST(Phrases, AlikeBeginningsStayOpen) {
    EXPECT_EQ(met({{1, 2}, {1, 3}}, {1, 3}), 2);
    EXPECT_EQ(met({{1, 2}, {1, 3}}, {1, 3, 1, 2}), 4);
}

TEST(Phrases, MayOverlapAndLieInEachOther) {
    EXPECT_EQ(met({{1, 2}, {2, 3}}, {1, 2, 3}), 4);
    EXPECT_EQ(met({{1}, {1, 2}}, {1, 2}), 3);
    EXPECT_EQ(met({{1, 2}, {1}}, {1, 2}), 3);
    EXPECT_EQ(met({{1, 2, 3}, {2}}, {1, 2}), 3);
}

TEST(Phrases, TheSameTwiceMustOccurTwice) {
    EXPECT_EQ(met({{4}, {4}}, {4}), 1);
    EXPECT_EQ(met({{4}, {4}}, {4, 5, 4}), 2);
    EXPECT_EQ(met({{1, 1}, {1, 1}}, {1, 1, 1}), 4);
}

// All sequences of `least` to `most` of the tokens 0 ... alphabet - 1.
std::vector<Tokens> sequences(std::size_t alphabet, std::size_t least, std::size_t most) {
    std::vector<Tokens> all = {{}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t token = 0; all[i].size() < most && token < alphabet; ++token) {
            all.push_back(all[i]);
            all.back().push_back(static_cast<std::int32_t>(token));
        }
    }
    all.erase(std::remove_if(all.begin(), all.end(), [&](const Tokens& tokens) { return tokens.size() < least; }),
              all.end());
    return all;
}

// All lists of one to three of these, in every order.
std::vector<std::vector<Tokens>> lists(const std::vector<Tokens>& phrases) {
    std::vector<std::vector<Tokens>> all = {{}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t p = 0; all[i].size() < 3 && p < phrases.size(); ++p) {
            all.push_back(all[i]);
            all.back().push_back(phrases[p]);
        }
    }
    all.erase(all.begin());
    return all;
}

// What Phrases says of an output, from the definition.
struct PlainProgress {
    std::int64_t occurred = 0;
    std::int64_t met = 0;
};

// Where the next token goes on with a word or where it does not, whichever is asked about.
PlainProgress plain_progress(const std::vector<Tokens>& phrases, const Tokens& output, const WordBoundaries* words,
                             bool in_word) {
    PlainProgress progress;
    std::size_t longest = 0;
    for (auto phrase = phrases.begin(); phrase != phrases.end(); ++phrase) {
        const bool at_end = phrase->size() <= output.size() &&
                            std::equal(phrase->rbegin(), phrase->rend(), output.rbegin()) &&
                            parted(words, output, output.size() - phrase->size());
        const std::int64_t there = places(*phrase, output, words) - (in_word && at_end ? 1 : 0);
        // Of several copies of a phrase, the first have occurred.
        if (there > std::count(phrases.begin(), phrase, *phrase)) {
            progress.occurred += static_cast<std::int64_t>(phrase->size());
            continue;
        }
        for (std::size_t begun = 1; begun < phrase->size() && begun <= output.size(); ++begun) {
            if (std::equal(phrase->begin(), phrase->begin() + static_cast<std::ptrdiff_t>(begun),
                           output.end() - static_cast<std::ptrdiff_t>(begun)) &&
                parted(words, output, output.size() - begun) && parted(words, *phrase, begun) != in_word) {
                longest = std::max(longest, begun);
            }
        }
    }
    progress.met = progress.occurred + static_cast<std::int64_t>(longest);
    return progress;
}

PlainProgress plain_progress(const std::vector<Tokens>& phrases, const Tokens& output, const WordBoundaries* words) {
    PlainProgress progress = plain_progress(phrases, output, words, false);
    if (words != nullptr) {
        progress.met = std::max(progress.met, plain_progress(phrases, output, words, true).met);
    }
    return progress;
}

// Whether a phrase could begin behind this output; where phrases are whole words, not inside a word.
bool may_begin(const std::vector<Tokens>& list, const Tokens& output, const WordBoundaries* words) {
    return words == nullptr || output.empty() || std::all_of(list.begin(), list.end(), [&](const Tokens& phrase) {
               return words->between(output.back(), phrase.front());
           });
}

// The first of `outputs` at which Phrases differs from the definition; empty where none does. Of an alphabet of k
// tokens output i, longer by token t, is output k * i + t + 1.
std::string difference(const std::vector<Tokens>& list, const std::vector<Tokens>& outputs, std::size_t alphabet,
                       const WordBoundaries* words = nullptr) {
    const Phrases phrases(list, words);
    std::vector<PhraseProgress> reached(outputs.size());
    std::vector<PlainProgress> expected;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        expected.push_back(plain_progress(list, outputs[i], words));
        if (i > 0) {
            reached[i] = phrases.advance(reached[(i - 1) / alphabet], outputs[i].back());
        }
    }
    for (std::size_t i = 0; alphabet * i + alphabet < outputs.size(); ++i) {
        Tokens wanted;
        for (std::size_t token = 0; token < alphabet; ++token) {
            if (expected[alphabet * i + token + 1].met > expected[i].met) {
                wanted.push_back(static_cast<std::int32_t>(token));
            }
        }
        const bool complete = has_all(list, outputs[i], words);
        const bool same = phrases.occurred(reached[i]) == expected[i].occurred &&
                          phrases.met(reached[i]) == expected[i].met && phrases.complete(reached[i]) == complete &&
                          (expected[i].met == phrases.tokens()) == complete && phrases.wanted(reached[i]) == wanted &&
                          (wanted.empty() == complete || !may_begin(list, outputs[i], words));
        if (!same) {
            return testing::PrintToString(outputs[i]);
        }
    }
    return "";
}

TEST(Phrases, EqualTheDefinitionForAllSmallListsAndOutputs) {
    const struct { std::size_t alphabet, longest_phrase, longest_output; } cases[] = {{2, 3, 6}, {3, 2, 5}};
    for (const auto& c : cases) {
        const std::vector<Tokens> outputs = sequences(c.alphabet, 0, c.longest_output + 1);
        for (const std::vector<Tokens>& list : lists(sequences(c.alphabet, 1, c.longest_phrase))) {
            ASSERT_EQ(difference(list, outputs, c.alphabet), "") << testing::PrintToString(list);
        }
    }
}

bool run_into_one_another(const std::vector<Tokens>& list, const WordBoundaries& words) {
    return std::any_of(list.begin(), list.end(), [&](const Tokens& first) {
        return std::any_of(list.begin(), list.end(),
                           [&](const Tokens& second) { return !words.between(first.back(), second.front()); });
    });
}

TEST(Phrases, AsWholeWordsEqualTheDefinitionForAllSmallListsAndOutputs) {
    const std::vector<Tokens> outputs = sequences(3, 0, 6);
    const std::vector<std::vector<Tokens>> all = lists(sequences(3, 1, 2));
    const std::vector<Tokens> longer = {{0, 1}, {0, 1, 1}, {0, 1, 0}, {0, 2}, {0}, {0, 1, 2, 1}, {0, 0, 1}};
    int tried = 0;
    for (unsigned bits = 0; bits < 64; ++bits) {
        const auto bit = [bits](unsigned i) { return (bits >> i & 1U) != 0; };
        const WordBoundaries words{{bit(0), bit(1), bit(2)}, {bit(3), bit(4), bit(5)}};
        for (const std::vector<std::vector<Tokens>>& some : {all, lists(longer)}) {
            for (std::size_t i = bits % 7; i < some.size(); i += 7) {  // a part of them, each with some of the words
                if (!run_into_one_another(some[i], words)) {
                    ASSERT_EQ(difference(some[i], outputs, 3, &words), "")
                        << testing::PrintToString(some[i]) << " " << bits;
                    ++tried;
                }
            }
        }
    }
    EXPECT_GT(tried, 1000);
}

TEST(Phrases, AsWholeWordsEndAtABoundary) {
    // Token 1 and 3 begin words, 2 goes on with one.
    const WordBoundaries words{{true, true, false, true}, {true, false, false, false}};
    const Phrases phrases({{1}, {1, 2}}, &words);
    EXPECT_EQ(phrases.occurred(after(phrases, {1})), 1);
    EXPECT_TRUE(phrases.hangs(after(phrases, {1})));
    EXPECT_EQ(phrases.occurred(after(phrases, {1, 2})), 2);  // not 1 as well
    EXPECT_EQ(phrases.occurred(after(phrases, {1, 2, 2})), 0);
    EXPECT_FALSE(phrases.complete(after(phrases, {1, 2})));
    EXPECT_TRUE(phrases.complete(after(phrases, {1, 2, 1})));
    EXPECT_FALSE(phrases.complete(after(phrases, {1, 2, 1, 2, 2})));
    EXPECT_TRUE(phrases.complete(after(phrases, {1, 3, 1, 2})));
    EXPECT_FALSE(phrases.hangs(after(phrases, {1, 3})));
}

TEST(Phrases, WantedTokensBringThemOn) {
    const Phrases phrases({{1, 2}, {1, 3}, {4}});
    EXPECT_EQ(phrases.wanted({}), (Tokens{1, 4}));
    EXPECT_EQ(phrases.wanted(after(phrases, {1})), (Tokens{2, 3}));
    EXPECT_EQ(phrases.wanted(after(phrases, {1, 2})), (Tokens{1, 4}));
    EXPECT_EQ(phrases.wanted(after(phrases, {1, 2, 1})), (Tokens{3}));  // 4 breaks 1 off
    EXPECT_EQ(phrases.wanted(after(phrases, {1, 2, 4, 1, 3})), Tokens());
    EXPECT_TRUE(phrases.complete(after(phrases, {1, 2, 4, 1, 3})));
    EXPECT_FALSE(phrases.complete(after(phrases, {1, 2, 4, 1})));
    EXPECT_TRUE(Phrases({}).complete({}));
}

TEST(ShareBeam, GivesEachNumberItsPart) {
    using Counts = std::vector<std::int64_t>;
    EXPECT_EQ(share_beam(6, {9, 9, 9}), (Counts{2, 2, 2}));
    EXPECT_EQ(share_beam(7, {9, 9, 9}), (Counts{2, 2, 3}));
    EXPECT_EQ(share_beam(6, {9, 9, 0}), (Counts{2, 4, 0}));
    EXPECT_EQ(share_beam(6, {9, 1, 1}), (Counts{4, 1, 1}));
    EXPECT_EQ(share_beam(1, {9, 9, 0}), (Counts{0, 1, 0}));
    EXPECT_EQ(share_beam(5, {1, 1, 1}), (Counts{1, 1, 1}));
}

TEST(Scoring, FollowsWuEtAl) {
    SearchConfig options;
    options.length_norm = LengthNorm::wu;
    options.length_alpha = 0.6;
    EXPECT_DOUBLE_EQ(length_norm(options, 7), std::pow(12.0 / 6.0, 0.6));
    options.length_norm = LengthNorm::power;
    EXPECT_DOUBLE_EQ(length_norm(options, 7), std::pow(7.0, 0.6));
    EXPECT_DOUBLE_EQ(coverage_of({0.5, 2.0, 1.0}), std::log(0.5));
    EXPECT_DOUBLE_EQ(coverage_of({0.0}), std::log(1e-6));
    options.coverage_penalty = 0.2;
    options.word_penalty = 0.3;
    EXPECT_DOUBLE_EQ(score_of(options, -4.0, 7, -1.5), -4.0 / std::pow(7.0, 0.6) - 0.3 - 2.1);
}

TEST(Scoring, NothingPassesItsBound) {
    for (const LengthNorm norm : {LengthNorm::power, LengthNorm::wu}) {
        for (const double alpha : {0.0, 0.5, 1.0, 2.0}) {
            for (const double penalty : {-1.0, 0.0, 0.7}) {
                SearchConfig options;
                options.length_norm = norm;
                options.length_alpha = alpha;
                options.coverage_penalty = 0.4;
                options.word_penalty = penalty;
                for (std::int64_t length = 4; length <= 9; ++length) {
                    for (const double coverage : {0.0, -2.0}) {
                        EXPECT_LE(score_of(options, -3.0, length, coverage), score_bound(options, -2.5, 4, 9));
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace softalign

#include "search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "reference_search.h"
#include "toy_model.h"

namespace softalign {
namespace {

constexpr std::int64_t bos = 1;
constexpr std::int64_t eos = 0;

SearchOptions make_options(std::int64_t beam, std::int64_t n_best, double alpha) {
    SearchOptions options;
    options.beam = beam;
    options.n_best = n_best;
    options.patience = 0.0;
    options.length_alpha = alpha;
    options.bos = bos;
    options.eos = eos;
    return options;
}

SearchTask up_to(std::int64_t max_length) {
    SearchTask task;
    task.max_length = max_length;
    return task;
}

std::vector<SearchTask> all_up_to(const std::vector<std::int64_t>& max_lengths) {
    std::vector<SearchTask> tasks;
    for (const std::int64_t length : max_lengths) {
        tasks.push_back(up_to(length));
    }
    return tasks;
}

std::vector<std::vector<Hypothesis>> search_tasks(const ToyLanguage& language, const std::vector<std::uint64_t>& keys,
                                                  const std::vector<SearchTask>& tasks, const SearchOptions& options) {
    ToyModel model(language, keys, options.bos);
    return search(model, tasks, options);
}

std::vector<std::vector<Hypothesis>> search(const ToyLanguage& language, const std::vector<std::uint64_t>& keys,
                                            const std::vector<std::int64_t>& max_lengths,
                                            const SearchOptions& options) {
    return search_tasks(language, keys, all_up_to(max_lengths), options);
}

void expect_same(const std::vector<Hypothesis>& actual, const std::vector<Hypothesis>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        EXPECT_EQ(actual[i].ids, expected[i].ids) << "rank " << i;
        EXPECT_EQ(actual[i].log_prob, expected[i].log_prob) << "rank " << i;
        EXPECT_NEAR(actual[i].score, expected[i].score, 1e-12) << "rank " << i;
        EXPECT_NEAR(actual[i].coverage, expected[i].coverage, 1e-12) << "rank " << i;
    }
}

std::int64_t below(Random& random, std::int64_t bound) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
}

void set_random_scoring(Random& random, SearchConfig& scoring) {
    scoring.length_norm = random.below(2) == 0 ? LengthNorm::power : LengthNorm::wu;
    scoring.length_alpha = std::vector<double>{0.0, 0.6, 1.0, 2.0}[random.below(4)];
    scoring.coverage_penalty = std::vector<double>{0.0, 0.0, 0.3}[random.below(3)];
    scoring.word_penalty = std::vector<double>{0.0, 0.4, -0.7}[random.below(3)];
}

std::vector<std::int32_t> random_tokens(Random& random, std::int64_t vocabulary, std::int64_t count) {
    std::vector<std::int32_t> tokens;
    for (std::int64_t i = 0; i < count; ++i) {
        tokens.push_back(static_cast<std::int32_t>(1 + below(random, vocabulary - 1)));
    }
    return tokens;
}

// A chain of up to three tokens, or two ways over two nodes; behind it perhaps two ways on where the output may end.
PrefixGraph random_start(Random& random, std::int64_t vocabulary) {
    PrefixGraph graph;
    const auto last = static_cast<std::int32_t>(vocabulary) - 1;
    const bool optional = random.below(3) == 0;
    if (random.below(2) == 0) {
        for (const std::int32_t token : random_tokens(random, vocabulary, below(random, 4))) {
            const auto next = static_cast<std::int32_t>(graph.nodes.size()) + 1;
            graph.nodes.push_back({{token, next}});
        }
    } else {
        graph.nodes = {{{1, 1}, {last, 2}}, {{1, 2}}};
    }
    if (optional && last > 1) {
        graph.may_end = static_cast<std::int32_t>(graph.nodes.size());
        graph.nodes.push_back({{1, graph.may_end + 1}, {last, graph.may_end + 1}});
    }
    graph.nodes.emplace_back();
    return graph;
}

// Gives a task the room that it needs.
void make_room(SearchTask& task) {
    std::int64_t tokens = plain_distance(task.prefix, 0, task.phrases.empty());
    for (const std::vector<std::int32_t>& phrase : task.phrases) {
        tokens += static_cast<std::int64_t>(phrase.size());
    }
    task.max_length = std::max(task.max_length, tokens);
}

SearchTask random_task(Random& random, std::int64_t vocabulary, std::int64_t longest) {
    SearchTask task = up_to(below(random, longest + 1));
    task.source_length = 3;
    if (random.below(3) == 0) {
        task.min_length = below(random, task.max_length + 1);
    }
    if (random.below(4) == 0) {
        task.prefix = random_start(random, vocabulary);
        make_room(task);
    }
    return task;
}

// A model whose distribution does not depend on the prefix.
class FixedModel : public ToyModel {
public:
    FixedModel(std::vector<float> log_probs, std::size_t sentences)
        : ToyModel(language(log_probs.size()), std::vector<std::uint64_t>(sentences), bos),
          log_probs_(std::move(log_probs)) {}

protected:
    std::vector<float> distribution(std::uint64_t /*key*/, const std::vector<std::int32_t>& /*prefix*/) const override {
        return log_probs_;
    }

private:
    static ToyLanguage language(std::size_t vocabulary) {
        ToyLanguage result;
        result.vocabulary = static_cast<std::int64_t>(vocabulary);
        return result;
    }

    std::vector<float> log_probs_;
};

// Whether any two neighbours in `tokens` are neighbours in `others`.
bool follow_each_other(const Tokens& tokens, const Tokens& others) {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (std::search(others.begin(), others.end(), tokens.begin() + static_cast<std::ptrdiff_t>(i),
                        tokens.begin() + static_cast<std::ptrdiff_t>(i) + 2) != others.end()) {
            return true;
        }
    }
    return false;
}

TEST(BeamSearch, WideBeamFindsTheBestOfAllOutputs) {
    Random random(3);
    int impossible = 0;  // sentences for which the rules leave nothing
    for (std::uint64_t trial = 0; trial < 1000; ++trial) {
        ToyLanguage language;
        const bool has_phrases = random.below(2) == 0;  // whose parts share the beam
        language.vocabulary = 3 + below(random, has_phrases ? 2 : 3);
        SearchOptions options = make_options(1024, 7, 1.0);
        set_random_scoring(random, options);
        options.no_repeat_ngram = below(random, 4);
        options.unk = random.below(3) == 0 ? 2 : -1;
        SearchTask task = random_task(random, language.vocabulary, 4);
        if (has_phrases) {
            for (std::int64_t phrases = 1 + below(random, 2); phrases > 0; --phrases) {
                task.phrases.push_back(random_tokens(random, language.vocabulary, 1 + below(random, 2)));
            }
            make_room(task);
            options.no_repeat_ngram = 0;  // a rule that phrases go before
            options.unk = -1;
        }
        std::vector<Hypothesis> expected = brute_force(toy_sentence(language, trial, task), options);
        impossible += expected.empty() ? 1 : 0;
        expected.resize(std::min<std::size_t>(expected.size(), 7));
        SCOPED_TRACE("trial " + std::to_string(trial));
        expect_same(search_tasks(language, {trial}, {task}, options).front(), expected);
    }
    EXPECT_GT(impossible, 0);
}

TEST(BeamSearch, ATaskHasRulesOfItsOwn) {
    Random random(15);
    for (std::uint64_t trial = 0; trial < 300; ++trial) {
        ToyLanguage language;
        language.vocabulary = 3 + below(random, 3);
        SearchOptions options = make_options(1024, 7, 1.0);
        options.no_repeat_ngram = below(random, 4);
        SearchTask task = up_to(below(random, 5));
        task.source_length = 3;
        SearchOptions both = options;  // the smaller one, as the options of all
        task.no_repeat_ngram = below(random, 4);
        both.no_repeat_ngram = options.no_repeat_ngram == 0 ? task.no_repeat_ngram
                               : task.no_repeat_ngram == 0  ? options.no_repeat_ngram
                                                            : std::min(options.no_repeat_ngram, task.no_repeat_ngram);
        task.avoided = random_tokens(random, language.vocabulary, below(random, 5));
        std::vector<Hypothesis> expected = brute_force(toy_sentence(language, trial, task), both);
        expected.erase(std::remove_if(expected.begin(), expected.end(),
                                      [&](const Hypothesis& hypothesis) {
                                          return follow_each_other(hypothesis.ids, task.avoided);
                                      }),
                       expected.end());
        expected.resize(std::min<std::size_t>(expected.size(), 7));
        SCOPED_TRACE("trial " + std::to_string(trial));
        expect_same(search_tasks(language, {trial}, {task}, options).front(), expected);
    }
}

TEST(BeamSearch, EqualsThePlainSearchOfEachSentence) {
    Random random(7);
    for (int trial = 0; trial < 400; ++trial) {
        ToyLanguage language;
        language.vocabulary = 3 + below(random, 90);
        language.sharpness = 1.0 + 6.0 * random.uniform();
        const std::int64_t groups = trial % 4 == 0 ? 1 + below(random, 4) : 1;
        const std::int64_t beam = groups * (1 + below(random, 8));
        SearchOptions options = make_options(beam, 1 + below(random, beam), 1.0);
        options.groups = groups;
        options.diversity = groups > 1 ? 2.0 * random.uniform() : 0.0;
        set_random_scoring(random, options);
        options.patience = std::vector<double>{0.0, 0.5, 1.0, 1.7}[random.below(4)];
        options.no_repeat_ngram = trial % 5 == 0 ? 1 + below(random, 3) : 0;
        if (trial % 3 == 0) {
            options.unk = 1 + below(random, language.vocabulary - 1);
        }
        std::vector<std::uint64_t> keys;
        std::vector<SearchTask> tasks;
        for (std::uint64_t b = 1 + random.below(6); b > 0; --b) {
            keys.push_back(random.next());
            tasks.push_back(random_task(random, language.vocabulary, 12));
        }
        const auto actual = search_tasks(language, keys, tasks, options);
        ASSERT_EQ(actual.size(), keys.size());
        for (std::size_t b = 0; b < keys.size(); ++b) {
            SCOPED_TRACE("trial " + std::to_string(trial) + " sentence " + std::to_string(b));
            const auto expected = reference_search(toy_sentence(language, keys[b], tasks[b]), options);
            if (!expected.empty()) {  // else the rules leave nothing
                expect_same(actual[b], expected);
            }
        }
    }
}

TEST(BeamSearch, ASentenceDoesNotDependOnItsBatch) {
    const ToyLanguage language;
    const SearchOptions options = make_options(4, 3, 1.0);
    const std::vector<std::uint64_t> keys = {11, 12, 13, 14, 15};
    const std::vector<std::int64_t> lengths = {9, 0, 5, 20, 2};
    const auto together = search(language, keys, lengths, options);
    const auto backwards = search(language, {keys.rbegin(), keys.rend()}, {lengths.rbegin(), lengths.rend()}, options);
    for (std::size_t b = 0; b < keys.size(); ++b) {
        expect_same(together[b], search(language, {keys[b]}, {lengths[b]}, options).front());
        expect_same(together[b], backwards[keys.size() - 1 - b]);
    }
}

TEST(BeamSearch, BeamOneIsGreedy) {
    ToyLanguage language;
    language.vocabulary = 70;
    for (std::uint64_t key = 0; key < 50; ++key) {
        const std::size_t max_length = 30;
        std::vector<std::int32_t> ids;
        while (ids.size() < max_length) {
            const std::vector<float> log_probs = language.log_probs(key, ids);
            const auto best = std::max_element(log_probs.begin(), log_probs.end()) - log_probs.begin();
            if (best == eos) {
                break;
            }
            ids.push_back(static_cast<std::int32_t>(best));
        }
        SearchOptions options = make_options(1, 1, 1.0);
        options.patience = 1.0;
        const auto result = search(language, {key}, {static_cast<std::int64_t>(max_length)}, options);
        EXPECT_EQ(result.front().front().ids, ids);
    }
}

TEST(BeamSearch, LogProbIsTheSumOfTheTable) {
    const ToyLanguage language;
    const auto result = search(language, {3}, {8}, make_options(5, 5, 0.7)).front();
    ASSERT_EQ(result.size(), 5U);
    for (const Hypothesis& hypothesis : result) {
        double sum = 0.0;
        std::vector<std::int32_t> prefix;
        for (const std::int32_t token : hypothesis.ids) {
            sum += language.log_probs(3, prefix)[static_cast<std::size_t>(token)];
            prefix.push_back(token);
        }
        sum += language.log_probs(3, prefix)[eos];
        EXPECT_DOUBLE_EQ(hypothesis.log_prob, sum);
        EXPECT_DOUBLE_EQ(hypothesis.score, sum / std::pow(hypothesis.ids.size() + 1.0, 0.7));
    }
    for (std::size_t i = 1; i < result.size(); ++i) {
        EXPECT_GE(result[i - 1].score, result[i].score);
    }
}

TEST(BeamSearch, TokenLogProbsAreThoseOfTheTable) {
    const ToyLanguage language;
    const auto found = search(language, {5}, {7}, make_options(4, 4, 1.0)).front();
    for (const Hypothesis& hypothesis : found) {
        ASSERT_EQ(hypothesis.token_log_probs.size(), hypothesis.ids.size() + 1);
        std::vector<std::int32_t> prefix;
        for (std::size_t t = 0; t <= hypothesis.ids.size(); ++t) {
            const std::int32_t token = t < hypothesis.ids.size() ? hypothesis.ids[t] : eos;
            EXPECT_EQ(hypothesis.token_log_probs[t], language.log_probs(5, prefix)[static_cast<std::size_t>(token)]);
            prefix.push_back(token);
        }
    }
}

// Two models whose log-probabilities are half the language's and twice it.
class TwoModels : public ToyModel {
public:
    using ToyModel::ToyModel;
    StepOutput step(const at::Tensor& previous) override {
        StepOutput output = ToyModel::step(previous);
        output.model_log_probs = {output.log_probs * 0.5, output.log_probs * 2.0};
        return output;
    }
};

TEST(BeamSearch, KeepsWhatEachModelSaysWhereAsked) {
    const ToyLanguage language;
    SearchOptions options = make_options(4, 2, 1.0);
    for (const bool keep : {true, false}) {
        options.keep_model_log_probs = keep;
        TwoModels model(language, {8, 9}, bos);
        const auto found = search(model, all_up_to({6, 6}), options);
        for (const auto& hypotheses : found) {
            for (const Hypothesis& hypothesis : hypotheses) {
                ASSERT_EQ(hypothesis.model_token_log_probs.size(), keep ? 2U : 0U);
                for (std::size_t t = 0; keep && t < hypothesis.token_log_probs.size(); ++t) {
                    EXPECT_EQ(hypothesis.model_token_log_probs[0][t], hypothesis.token_log_probs[t] * 0.5F);
                    EXPECT_EQ(hypothesis.model_token_log_probs[1][t], hypothesis.token_log_probs[t] * 2.0F);
                }
            }
        }
    }
}

// Up to three phrases of up to three tokens, perhaps the same, behind a start or not, with room for them.
SearchTask random_phrases(Random& random, std::int64_t vocabulary, std::int64_t spare) {
    SearchTask task;
    if (random.below(3) == 0) {
        task.prefix = random_start(random, vocabulary);
    }
    const std::int64_t used = random.below(2) == 0 ? vocabulary : std::min<std::int64_t>(vocabulary, 4);
    for (std::int64_t phrases = 1 + below(random, 3); phrases > 0; --phrases) {
        task.phrases.push_back(random_tokens(random, used, 1 + below(random, 3)));
    }
    make_room(task);
    task.max_length += below(random, spare);
    return task;
}

TEST(BeamSearch, PhrasesOccurWhateverTheBeam) {
    Random random(11);
    for (int trial = 0; trial < 1000; ++trial) {
        ToyLanguage language;
        language.vocabulary = 4 + below(random, 60);
        language.sharpness = 6.0;
        const std::int64_t beam = 1 + below(random, 6);
        SearchOptions options = make_options(beam, 1 + below(random, beam), 1.0);
        options.patience = random.below(2) == 0 ? 1.0 : 0.0;
        options.no_repeat_ngram = below(random, 3);
        const SearchTask task = random_phrases(random, language.vocabulary, 1 + below(random, 12));
        const auto result = search_tasks(language, {random.next()}, {task}, options).front();
        ASSERT_FALSE(result.empty());
        for (const Hypothesis& hypothesis : result) {
            std::size_t node = 0;
            EXPECT_TRUE(has_all(task.phrases, hypothesis.ids)) << "trial " << trial;
            EXPECT_TRUE(walk(task.prefix, hypothesis.ids, node) || static_cast<int>(node) == task.prefix.may_end);
            EXPECT_LE(static_cast<std::int64_t>(hypothesis.ids.size()), task.max_length);
            EXPECT_TRUE(std::isfinite(hypothesis.log_prob)) << "trial " << trial;
        }
    }
}

// Random words, of whose boundaries the tokens that phrases begin with have one in front of them.
WordBoundaries random_words(Random& random, std::int64_t vocabulary, const std::vector<Tokens>& phrases) {
    WordBoundaries words{std::vector<bool>(static_cast<std::size_t>(vocabulary)), {}};
    words.ends = words.begins;
    words.begins[0] = true;  // the end
    for (std::size_t token = 1; token < words.begins.size(); ++token) {
        words.begins[token] = random.below(3) == 0;
        words.ends[token] = random.below(8) == 0;
    }
    const bool backwards = random.below(2) == 0;  // words end with their marks
    for (const Tokens& phrase : phrases) {
        (backwards ? words.ends : words.begins)[static_cast<std::size_t>(backwards ? phrase.back() : phrase.front())] =
            true;
    }
    return words;
}

TEST(BeamSearch, WideBeamFindsTheBestOfAllOutputsWithWholeWords) {
    Random random(13);
    for (std::uint64_t trial = 0; trial < 600; ++trial) {
        ToyLanguage language;
        language.vocabulary = 3 + below(random, 2);
        SearchOptions options = make_options(1024, 7, 1.0);
        set_random_scoring(random, options);
        SearchTask task = up_to(below(random, 5));
        task.source_length = 3;
        for (std::int64_t phrases = 1 + below(random, 2); phrases > 0; --phrases) {
            task.phrases.push_back(random_tokens(random, language.vocabulary, 1 + below(random, 2)));
        }
        make_room(task);
        task.min_length = random.below(3) == 0 ? below(random, task.max_length + 1) : 0;
        const WordBoundaries words = random_words(random, language.vocabulary, task.phrases);
        task.whole_words = &words;
        std::vector<Hypothesis> expected = brute_force(toy_sentence(language, trial, task), options);
        ASSERT_FALSE(expected.empty());
        expected.resize(std::min<std::size_t>(expected.size(), 7));
        SCOPED_TRACE("trial " + std::to_string(trial));
        expect_same(search_tasks(language, {trial}, {task}, options).front(), expected);
    }
}

TEST(BeamSearch, PhrasesAreWholeWordsWhateverTheBeam) {
    Random random(14);
    int longer_than_needed = 0;
    for (int trial = 0; trial < 1000; ++trial) {
        ToyLanguage language;
        language.vocabulary = 4 + below(random, 60);
        language.sharpness = 6.0;
        const std::int64_t beam = 1 + below(random, 6);
        const SearchOptions options = make_options(beam, 1 + below(random, beam), 1.0);
        SearchTask task = random_phrases(random, language.vocabulary, 1);
        task.prefix = {};
        make_room(task);
        const std::int64_t needed = task.max_length;
        task.max_length += below(random, 12);
        const WordBoundaries words = random_words(random, language.vocabulary, task.phrases);
        task.whole_words = &words;
        const auto result = search_tasks(language, {random.next()}, {task}, options).front();
        ASSERT_FALSE(result.empty()) << "trial " << trial;
        for (const Hypothesis& hypothesis : result) {
            EXPECT_TRUE(has_all(task.phrases, hypothesis.ids, &words)) << "trial " << trial;
            longer_than_needed += static_cast<std::int64_t>(hypothesis.ids.size()) > needed ? 1 : 0;
        }
    }
    EXPECT_GT(longer_than_needed, 100);
}

// The model goes on with the word of a phrase, whatever happens, and hardly ever ends.
TEST(BeamSearch, AWholeWordIsKeptAgainstTheModel) {
    const WordBoundaries words{{true, true, false, false, true}, std::vector<bool>(5)};
    SearchTask task = up_to(9);
    task.phrases = {{1}};
    task.whole_words = &words;
    for (const std::int64_t beam : {1, 2}) {
        FixedModel model({-30.0F, -20.0F, -0.5F, -1.0F, -25.0F}, 1);
        const auto found = search(model, {task}, make_options(beam, 1, 1.0)).front();
        ASSERT_FALSE(found.empty());
        EXPECT_TRUE(has_all(task.phrases, found.front().ids, &words)) << testing::PrintToString(found.front().ids);
    }
    task.phrases = {{2}};  // which no boundary parts from the next
    FixedModel model({-3.0F, -2.0F, -0.5F, -1.0F, -2.5F}, 1);
    EXPECT_THROW(search(model, {task}, make_options(2, 1, 1.0)), Error);
}

TEST(BeamSearch, AllSmallSetsOfPhrasesOccurInTheLeastRoom) {
    std::vector<std::vector<std::int32_t>> phrases;
    for (std::int32_t a = 1; a <= 2; ++a) {
        phrases.push_back({a});
        for (std::int32_t b = 1; b <= 2; ++b) {
            phrases.push_back({a, b});
            phrases.push_back({a, b, 1});
            phrases.push_back({a, b, 2});
        }
    }
    ToyLanguage language;
    language.vocabulary = 4;
    language.sharpness = 6.0;
    std::vector<SearchTask> tasks;
    for (std::size_t i = 0; i < phrases.size(); ++i) {
        for (std::size_t j = i; j < phrases.size(); ++j) {
            for (std::size_t k = j; k < phrases.size(); ++k) {
                tasks.push_back(up_to(0));
                tasks.back().phrases = {phrases[i], phrases[j], phrases[k]};
                make_room(tasks.back());
            }
        }
    }
    std::vector<std::uint64_t> keys(tasks.size());
    std::iota(keys.begin(), keys.end(), std::uint64_t{1});
    for (const std::int64_t beam : {1, 3, 8}) {
        const auto found = search_tasks(language, keys, tasks, make_options(beam, 1, 1.0));
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            EXPECT_TRUE(has_all(tasks[i].phrases, found[i].front().ids)) << testing::PrintToString(tasks[i].phrases);
        }
    }
}

TEST(BeamSearch, TheOrderOfPhrasesMeansNothing) {
    Random random(12);
    for (int trial = 0; trial < 200; ++trial) {
        ToyLanguage language;
        language.vocabulary = 4 + below(random, 20);
        const std::int64_t beam = 1 + below(random, 8);
        const SearchOptions options = make_options(beam, beam, 1.0);
        SearchTask task = random_phrases(random, language.vocabulary, 6);
        const std::uint64_t key = random.next();
        std::sort(task.phrases.begin(), task.phrases.end());
        const auto first = search_tasks(language, {key}, {task}, options).front();
        while (std::next_permutation(task.phrases.begin(), task.phrases.end())) {
            expect_same(search_tasks(language, {key}, {task}, options).front(), first);
        }
    }
}

TEST(BeamSearch, AStartKeepsToTheGreatestLength) {
    // The long way is by far the likelier.
    FixedModel model({-3.0F, -0.1F, -5.0F, -5.0F}, 1);
    SearchTask task = up_to(2);
    task.prefix.nodes = {{{1, 1}, {2, 3}}, {{1, 2}}, {{1, 3}}, {}};
    const auto found = search(model, {task}, make_options(2, 1, 1.0)).front();
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front().ids, (std::vector<std::int32_t>{2, 1}));
    task.max_length = 0;
    EXPECT_THROW(search(model, {task}, make_options(2, 1, 1.0)), Error);
}

TEST(BeamSearch, AnOutputMayEndWhereItsStartMay) {
    SearchTask task = up_to(5);
    task.prefix.nodes = {{{3, 1}}, {{1, 2}, {2, 2}}, {}};
    task.prefix.may_end = 1;
    const auto best = [&](std::vector<float> log_probs) {
        FixedModel model(std::move(log_probs), 1);
        return search(model, {task}, make_options(3, 1, 0.0)).front().front().ids;
    };
    EXPECT_EQ(best({-0.5F, -2.0F, -3.0F, -1.0F}), (std::vector<std::int32_t>{3}));
    task.min_length = 2;
    EXPECT_EQ(best({-0.5F, -2.0F, -3.0F, -1.0F}), (std::vector<std::int32_t>{3, 1}));
    task.min_length = 0;
    task.phrases = {{2}};
    EXPECT_EQ(best({-0.5F, -2.0F, -3.0F, -1.0F}), (std::vector<std::int32_t>{3, 2}));
    task.phrases.clear();
    task.max_length = 1;
    EXPECT_EQ(best({-5.0F, -2.0F, -3.0F, -1.0F}), (std::vector<std::int32_t>{3}));
}

TEST(BeamSearch, PatienceEndsASearchWithoutLengthNormalisationToo) {
    // Ends are never among the best, so that only the greatest length finishes anything.
    FixedModel model({-5.0F, -1.0F, -1.1F, -1.2F}, 1);
    SearchOptions options = make_options(2, 1, 1.0);
    options.patience = 1.0;
    EXPECT_EQ(search(model, all_up_to({3}), options).front().front().ids.size(), 3U);
    // Ends come first: one is finished at each step, and the second one ends the search.
    FixedModel ending({-0.9F, -1.0F, -1.1F, -1.2F}, 1);
    search(ending, all_up_to({30}), options);
    EXPECT_EQ(ending.steps(), 2);
}

TEST(BeamSearch, BadEndsDoNotCutOffAGoodPrefix) {
    FixedModel model({-4.0F, -0.1F, -9.0F, -9.0F}, 1);  // at each step one end is among the best two
    SearchOptions options = make_options(2, 1, 1.0);
    options.patience = 1.0;
    EXPECT_EQ(search(model, all_up_to({7}), options).front().front().ids.size(), 7U);
}

TEST(BeamSearch, AnEndTakesNoPlaceFromWhatGoesOn) {
    FixedModel model({-0.1F, -1.0F, -1.1F, -9.0F}, 1);
    SearchOptions options = make_options(2, 2, 0.0);
    options.patience = 10.0;
    search(model, all_up_to({1}), options);
    EXPECT_EQ(model.row_steps(), 1 + 2);
}

TEST(BeamSearch, KeepsTheAttentionOfTheChosenPath) {
    const ToyLanguage language;
    SearchOptions options = make_options(4, 2, 1.0);
    options.keep_attention = true;
    const auto result = search(language, {21, 22}, {6, 9}, options);
    for (std::size_t b = 0; b < 2; ++b) {
        for (const Hypothesis& hypothesis : result[b]) {
            ASSERT_EQ(hypothesis.attention.size(), hypothesis.ids.size() + 1);
            std::vector<std::int32_t> prefix;
            for (std::size_t t = 0; t <= hypothesis.ids.size(); ++t) {
                EXPECT_EQ(hypothesis.attention[t], language.attention(21 + b, prefix));
                if (t < hypothesis.ids.size()) {
                    prefix.push_back(hypothesis.ids[t]);
                }
            }
        }
    }
    options.keep_attention = false;
    EXPECT_TRUE(search(language, {21}, {6}, options).front().front().attention.empty());
}

TEST(BeamSearch, TheMaximumLengthForcesTheEnd) {
    FixedModel model({-20.0F, -1.0F, -1.5F}, 1);
    const auto result = search(model, all_up_to({4}), make_options(2, 2, 0.0)).front();
    ASSERT_EQ(result.size(), 2U);
    EXPECT_EQ(result[0].ids, (std::vector<std::int32_t>{1, 1, 1, 1}));
    EXPECT_DOUBLE_EQ(result[0].log_prob, -24.0);
    EXPECT_DOUBLE_EQ(result[1].log_prob, -24.5);
    EXPECT_EQ(model.steps(), 5);
}

TEST(BeamSearch, AnEndAtTheFirstStepIsAnEmptyOutput) {
    FixedModel model({-0.1F, -3.0F, -4.0F}, 2);
    const auto result = search(model, all_up_to({5, 5}), make_options(1, 1, 1.0));
    EXPECT_TRUE(result[0].front().ids.empty());
    EXPECT_TRUE(result[1].front().ids.empty());
    EXPECT_FLOAT_EQ(static_cast<float>(result[0].front().log_prob), -0.1F);
    EXPECT_EQ(model.steps(), 1);
}

TEST(BeamSearch, AMaximumLengthOfZeroGivesTheEmptyOutputAlone) {
    FixedModel model({-3.0F, -0.1F}, 1);
    const auto result = search(model, all_up_to({0}), make_options(3, 3, 1.0)).front();
    ASSERT_EQ(result.size(), 1U);
    EXPECT_TRUE(result[0].ids.empty());
    EXPECT_EQ(result[0].log_prob, -3.0F);
}

TEST(BeamSearch, EqualCandidatesGoByRankThenToken) {
    FixedModel model({-2.0F, -1.0F, -1.0F, -1.0F}, 1);
    const auto result = search(model, all_up_to({1}), make_options(2, 2, 0.0)).front();
    ASSERT_EQ(result.size(), 2U);
    EXPECT_EQ(result[0].ids, std::vector<std::int32_t>{1});
    EXPECT_EQ(result[1].ids, std::vector<std::int32_t>{2});
}

TEST(BeamSearch, StopsOnceNothingCanChange) {
    // Without length normalisation nothing that is live after the first step can pass -0.01.
    FixedModel model({-0.01F, -5.0F, -6.0F}, 3);
    const auto result = search(model, all_up_to({50, 60, 70}), make_options(3, 1, 0.0));
    EXPECT_TRUE(result[2].front().ids.empty());
    EXPECT_EQ(model.steps(), 1);
}

TEST(BeamSearch, AFinishedSentenceLeavesTheRows) {
    // The lengths end the sentences one after the other: 2 rows at step 0, then 2 + 2, then 2.
    FixedModel model({-30.0F, -1.0F, -1.0F}, 2);
    search(model, all_up_to({1, 2}), make_options(2, 2, 0.0));
    EXPECT_EQ(model.steps(), 3);
    EXPECT_EQ(model.row_steps(), 2 + 4 + 2);
}

TEST(BeamSearch, TheForbiddenTokenIsNeverWritten) {
    FixedModel model({-3.0F, -2.0F, -0.1F}, 1);
    SearchOptions options = make_options(3, 3, 0.0);
    options.unk = 2;
    const auto result = search(model, all_up_to({2}), options).front();
    ASSERT_EQ(result.size(), 3U);
    EXPECT_TRUE(result[0].ids.empty());
    EXPECT_EQ(result[1].ids, (std::vector<std::int32_t>{1}));
    EXPECT_EQ(result[2].ids, (std::vector<std::int32_t>{1, 1}));
    EXPECT_DOUBLE_EQ(result[2].log_prob, -7.0);  // of the model, not normalised anew
}

// The toy, where these tokens have no probability and the others that which they have.
class MutedModel : public ToyModel {
public:
    MutedModel(const std::vector<std::uint64_t>& keys, std::vector<std::int32_t> silent)
        : ToyModel(ToyLanguage{}, keys, bos), silent_(std::move(silent)) {}

protected:
    std::vector<float> distribution(std::uint64_t key, const std::vector<std::int32_t>& prefix) const override {
        std::vector<float> log_probs = ToyModel::distribution(key, prefix);
        for (const std::int32_t token : silent_) {
            log_probs[static_cast<std::size_t>(token)] = -std::numeric_limits<float>::infinity();
        }
        return log_probs;
    }

private:
    std::vector<std::int32_t> silent_;
};

void expect_silence(const SearchTask& task, SearchOptions options) {
    const std::vector<std::uint64_t> keys = {1, 2, 3};
    const std::vector<SearchTask> tasks(keys.size(), task);
    MutedModel muted(keys, {1, 3});
    const auto expected = search(muted, tasks, options);
    const auto with_all = search_tasks(ToyLanguage(), keys, tasks, options);
    options.silent = {1, 3};
    const auto actual = search_tasks(ToyLanguage(), keys, tasks, options);
    bool changed = false;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        expect_same(actual[i], expected[i]);
        for (std::size_t n = 0; n < actual[i].size(); ++n) {
            changed = changed || n >= with_all[i].size() || actual[i][n].ids != with_all[i][n].ids;
        }
    }
    EXPECT_TRUE(changed);  // else the comparison says nothing
}

TEST(BeamSearch, SilentTokensAreAsIfTheModelRuledThemOut) {
    SearchTask task = up_to(6);
    expect_silence(task, make_options(4, 4, 1.0));
    SearchOptions options = make_options(4, 4, 1.0);
    options.groups = 2;
    options.diversity = 0.5;
    expect_silence(task, options);
    options = make_options(4, 4, 1.0);
    options.sampling = true;
    expect_silence(task, options);
    options = make_options(4, 2, 1.0);
    options.no_repeat_ngram = 2;
    expect_silence(task, options);
    task.phrases = {{2, 4}};
    expect_silence(task, make_options(4, 4, 1.0));
    task.phrases.clear();
    task.prefix.nodes = {{{2, 1}, {4, 1}}, {}};
    expect_silence(task, make_options(4, 4, 1.0));
}

// Whatever the other sentences of the batch forbid.
TEST(BeamSearch, ForbiddenTokensAreAsIfSilentForTheirSentence) {
    const std::vector<std::uint64_t> keys = {1, 2, 3};
    const std::vector<std::vector<std::vector<std::int32_t>>> batches = {
        {{1, 3}, {1, 3}, {3, 1}}, {{1, 3}, {3}, {}}, {{}, {1}, {3}}};
    SearchOptions drawing = make_options(4, 4, 1.0);
    drawing.sampling = true;
    for (const SearchOptions& options : {make_options(4, 4, 1.0), drawing}) {
        for (const auto& forbidden : batches) {
            std::vector<SearchTask> tasks(keys.size(), up_to(6));
            for (std::size_t i = 0; i < keys.size(); ++i) {
                tasks[i].forbidden = forbidden[i];
            }
            const auto actual = search_tasks(ToyLanguage(), keys, tasks, options);
            for (std::size_t i = 0; i < keys.size(); ++i) {
                SearchOptions silent = options;
                silent.silent = forbidden[i];
                expect_same(actual[i], search_tasks(ToyLanguage(), {keys[i]}, {up_to(6)}, silent).front());
                for (const Hypothesis& hypothesis : actual[i]) {
                    for (const std::int32_t token : forbidden[i]) {
                        EXPECT_EQ(std::count(hypothesis.ids.begin(), hypothesis.ids.end(), token), 0);
                    }
                }
            }
        }
    }
}

TEST(BeamSearch, NothingCanAskForASilentToken) {
    SearchOptions options = make_options(2, 1, 1.0);
    options.silent = {3};
    SearchTask task = up_to(4);
    task.phrases = {{2, 3}};
    EXPECT_THROW(search_tasks(ToyLanguage(), {1}, {task}, options), Error);
    task.phrases.clear();
    task.prefix.nodes = {{{3, 1}}, {}};
    EXPECT_THROW(search_tasks(ToyLanguage(), {1}, {task}, options), Error);
    task.prefix.nodes = {{{eos, 1}}, {}};
    EXPECT_THROW(search_tasks(ToyLanguage(), {1}, {task}, options), Error);
    task.prefix.nodes = {{{2, 0}}, {}};  // leads nowhere
    EXPECT_THROW(search_tasks(ToyLanguage(), {1}, {task}, options), Error);
    task.prefix.nodes.clear();
    options.silent = {eos};
    EXPECT_THROW(search_tasks(ToyLanguage(), {1}, {up_to(4)}, options), Error);
    options.silent = {5};
    EXPECT_THROW(search_tasks(ToyLanguage(), {1}, {up_to(4)}, options), Error);
}

TEST(BeamSearch, AnImpossibleOutputIsNone) {
    const float never = -std::numeric_limits<float>::infinity();
    for (const bool sampling : {false, true}) {
        SearchOptions options = make_options(3, 2, 1.0);
        options.sampling = sampling;
        FixedModel endless({never, -0.5F, never}, 1);
        EXPECT_TRUE(search(endless, all_up_to({3}), options).front().empty());
        // Two different tokens are all there are, and three are asked for; other sentences do not notice.
        FixedModel model({-0.5F, -1.5F, -2.0F}, 3);
        options.no_repeat_ngram = 1;
        std::vector<SearchTask> tasks = all_up_to({5, 5, 2});
        tasks[1].min_length = 3;
        const auto found = search(model, tasks, options);
        EXPECT_FALSE(found[0].empty());
        EXPECT_TRUE(found[1].empty());
        EXPECT_FALSE(found[2].empty());
    }
}

TEST(BeamSearch, APhraseThatTheModelRulesOutLeavesNothing) {
    FixedModel model({-0.5F, -1.5F, -std::numeric_limits<float>::infinity()}, 1);
    SearchTask task = up_to(4);
    task.phrases = {{1, 2}};
    EXPECT_TRUE(search(model, {task}, make_options(3, 1, 1.0)).front().empty());
}

TEST(BeamSearch, NoSentencesGiveNothing) {
    ToyModel model(ToyLanguage(), {}, bos);
    EXPECT_TRUE(search(model, all_up_to({}), make_options(2, 1, 1.0)).empty());
    EXPECT_EQ(model.steps(), 0);
}

TEST(BeamSearch, NotANumberIsAnError) {
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        for (std::size_t place = 0; place < 3; ++place) {
            std::vector<float> log_probs = {-1.0F, -1.0F, -1.0F};
            log_probs[place] = bad;
            FixedModel model(log_probs, 2);
            try {
                search(model, all_up_to({4, 4}), make_options(2, 1, 1.0));
                FAIL() << "no error for " << bad << " at " << place;
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ExitCode::numerical);
                EXPECT_NE(std::string(error.what()).find("not numbers (at output position 1)"), std::string::npos)
                    << error.what();
            }
        }
    }
}

TEST(BeamSearch, OptionsOutOfRangeAreRefused) {
    FixedModel model({-1.0F, -1.0F}, 1);
    EXPECT_THROW(search(model, all_up_to({4}), make_options(0, 1, 1.0)), Error);
    EXPECT_THROW(search(model, all_up_to({4}), make_options(2, 3, 1.0)), Error);
    EXPECT_THROW(search(model, all_up_to({4}), make_options(2, 1, -1.0)), Error);
    EXPECT_THROW(search(model, all_up_to({-1}), make_options(2, 1, 1.0)), Error);
    SearchOptions options = make_options(2, 1, 1.0);
    options.eos = 2;
    EXPECT_THROW(search(model, all_up_to({4}), options), Error);
    options = make_options(2, 1, 1.0);
    options.unk = eos;
    EXPECT_THROW(search(model, all_up_to({4}), options), Error);
}

}  // namespace
}  // namespace softalign

#include "metrics/statistics.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "metrics/bleu.h"
#include "metrics/text_metric.h"

namespace softalign {
namespace {

using Streams = std::vector<std::vector<std::string>>;

std::string fault(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::data);
        return error.what();
    }
    return "no error";
}

double score_of(const TextMetric& metric, const std::vector<std::string>& hypotheses, const ReferenceSet& references) {
    return metric.score(system_statistics(metric, references, hypotheses).sums().data());
}

TEST(ReferenceSet, EmptyReferencesAreReferencesOrMissing) {
    const Streams streams{{"a b c d", "e f g h"}, {"", "e f"}};
    const ReferenceSet counted(streams, EmptyReferences::count);
    EXPECT_EQ(counted.count(), 2);
    EXPECT_EQ(counted.sentence(0).size(), 2U);
    const ReferenceSet missing(streams, EmptyReferences::missing);
    EXPECT_EQ(missing.count(), 0);
    EXPECT_EQ(missing.sentence(0).size(), 1U);
    EXPECT_EQ(missing.only(0).count(), 1);
    // An empty reference is as close in length to "x y" as the other, and shorter.
    const auto lengths = [&](const ReferenceSet& references) {
        return system_statistics(*make_bleu({}), references, {"x y", "e"}).sums()[1];
    };
    EXPECT_EQ(lengths(counted), 0 + 2);
    EXPECT_EQ(lengths(missing), 4 + 2);
}

TEST(ReferenceSet, SignaturesTellOfVariableNumbers) {
    const std::string bleu = make_bleu({})->signature({0, {}, {}, {}});
    EXPECT_EQ(bleu, "nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0");
    EXPECT_EQ(make_chrf({})->signature({2, 1000, {}, 12345}),
              "nrefs:2|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0");
    EXPECT_EQ(make_ter({})->signature({1, 1000, 10000, 7}),
              "nrefs:1|bs:1000|ar:10000|seed:7|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0");
}

TEST(ReferenceSet, FaultsNameTheLine) {
    const Streams streams{{"a", ""}, {"b", ""}};
    EXPECT_EQ(fault([&] { ReferenceSet(streams, EmptyReferences::missing); }),
              "line 2 has no reference: it is empty in every reference file");
    EXPECT_EQ(fault([] { ReferenceSet({}, EmptyReferences::count); }),
              "scoring needs at least one reference stream, and there is none");
}

// With three references lengths are no whole numbers, so the order of the additions shows in the last bits.
TEST(Statistics, AreTheSameForAnyNumberOfThreadsAndSystems) {
    std::vector<std::string> first;
    std::vector<std::string> second;
    Streams streams(3);
    for (int i = 0; i < 200; ++i) {
        const std::string number = std::to_string(i);
        first.push_back("the cat " + number + " sat on the mat " + std::to_string(i % 7));
        second.push_back("a cat sat on mat " + number);
        streams[0].push_back("the cat " + number + " sat on the mat");
        streams[1].push_back("on the mat sat the cat " + number + " , they say");
        streams[2].push_back("cat " + number);
    }
    const ReferenceSet references(streams, EmptyReferences::count);
    std::vector<std::unique_ptr<TextMetric>> metrics;
    metrics.push_back(make_bleu({}));
    metrics.push_back(make_chrf({6, 2}));
    metrics.push_back(make_ter({}));
    metrics.push_back(make_error_rate(ErrorUnit::character, {}));
    metrics.push_back(make_error_rate(ErrorUnit::word, {}));
    for (const std::unique_ptr<TextMetric>& metric : metrics) {
        const Statistics alone = system_statistics(*metric, references, second, 1);
        const auto both = collect_statistics(*metric, references, {&first, &second}, 5);
        EXPECT_EQ(alone.sums(), both[1].sums());
        EXPECT_NE(alone.sums(), both[0].sums());
        std::vector<double> by_hand(metric->width(), 0.0);
        for (std::size_t i = 0; i < 200; ++i) {
            for (std::size_t k = 0; k < by_hand.size(); ++k) {
                by_hand[k] += alone.row(i)[k];
            }
        }
        EXPECT_EQ(alone.sums(), by_hand);
    }
}

TEST(Ter, WithoutReferenceWordsIsAllOrNothing) {
    const Streams empty{{"", ""}};
    const ReferenceSet references(empty, EmptyReferences::count);
    EXPECT_EQ(score_of(*make_ter({}), {"", ""}, references), 0.0);
    EXPECT_EQ(score_of(*make_ter({}), {"a b c", ""}, references), 100.0);
}

TEST(Chrf, OfTextsShorterThanTheOrdersLeavesThemOut) {
    const Streams short_text{{"ab"}};
    const ReferenceSet references(short_text, EmptyReferences::count);
    EXPECT_EQ(score_of(*make_chrf({}), {"ab"}, references), 100.0);
    ChrfOptions smoothed;
    smoothed.epsilon_smoothing = true;
    EXPECT_NEAR(score_of(*make_chrf(smoothed), {"ab"}, references), 100.0 * 2 / 6, 1e-9);
    EXPECT_EQ(make_chrf({6, 2, 3})->name(), "chrF3++");
}

}  // namespace
}  // namespace softalign

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "text/fixtures.h"
#include "toy_translator.h"
#include "translate/batch_translator.h"

namespace softalign {
namespace {

Translation constrained(const ToyTranslator& toy, const TranslationRequest& request) {
    BatchTranslator translator(*toy.model, toy.source, toy.target, toy.options);
    return translator.translate(std::vector<TranslationRequest>{request}).front().front();
}

bool has_phrase(const std::vector<std::int32_t>& ids, const std::vector<std::int32_t>& phrase) {
    return std::search(ids.begin(), ids.end(), phrase.begin(), phrase.end()) != ids.end();
}

// The start needs as many pieces as it has words; its letters are more.
TEST(ConstrainedTranslation, AStartKeepsToTheGreatestLength) {
    ToyTranslator toy;
    for (const std::string prefix : {"25 2", "25 20", "25 20 "}) {
        for (toy.options.search.max_length = 2; toy.options.search.max_length < 6; ++toy.options.search.max_length) {
            const Translation found = constrained(toy, {"5 6 7", prefix, {}});
            EXPECT_LE(static_cast<std::int64_t>(found.ids.size()), toy.options.search.max_length) << prefix;
            EXPECT_EQ(found.text.substr(0, 4), "25 2");
            EXPECT_TRUE(std::isfinite(found.score));
        }
    }
}

TEST(ConstrainedTranslation, OnlyWhatIsAskedForGoesBeyondTheGreatestLength) {
    ToyTranslator toy;
    toy.options.search.max_length = 1;
    EXPECT_EQ(constrained(toy, {"5 6 7", "25 20 21 ", {}}).text, "25 20 21");
    EXPECT_EQ(constrained(toy, {"5 6 7", "25 20", {}}).text, "25 20");
    const Translation found = constrained(toy, {"5 6 7", "25 20", {"7 8", "9"}});
    EXPECT_LE(found.ids.size(), 5U);
    EXPECT_TRUE(has_phrase(found.ids, {7, 8}) && has_phrase(found.ids, {9})) << found.text;
    EXPECT_EQ(found.text.substr(0, 5), "25 20");
}

TEST(ConstrainedTranslation, ACompleteStartMayBeAll) {
    ToyTranslator toy;
    toy.options.search.beam = 30;
    toy.options.search.n_best = 30;
    toy.options.search.patience = 0.0;
    toy.options.search.max_length = 3;
    BatchTranslator translator(*toy.model, toy.source, toy.target, toy.options);
    const auto found = translator.translate(std::vector<TranslationRequest>{{"5 6 7", "25 20 ", {}}}).front();
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const Translation& t) { return t.text == "25 20"; }));
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const Translation& t) { return t.ids.size() == 3; }));
}

// An end is no answer where a phrase is missing, nor where the translation would be too short.
TEST(ConstrainedTranslation, ACompleteStartGoesOnWhereItMust) {
    ToyTranslator toy;
    toy.options.search.max_length = 4;
    EXPECT_TRUE(has_phrase(constrained(toy, {"5 6 7", "25 20 ", {"7"}}).ids, {7}));
    EXPECT_TRUE(has_phrase(constrained(toy, {"5 6 7", "25 7 ", {"7"}}).ids, {25, 7}));
    toy.options.search.min_length = 4;
    EXPECT_EQ(constrained(toy, {"5 6 7", "25 20 ", {}}).ids.size(), 4U);
}

TEST(ConstrainedTranslation, AStartOfSpacesAsksForNothing) {
    const ToyTranslator toy;
    EXPECT_EQ(constrained(toy, {"5 6 7", "  ", {}}).ids, constrained(toy, {"5 6 7", "", {}}).ids);
}

// What is refused is never segmented: that of the poison would fail.
TEST(ConstrainedTranslation, TooMuchIsRefusedBeforeItIsSegmented) {
    const ToyTranslator toy;
    const std::string poison = "poison" + std::string(TranslationRequest::most_constraints - 12, ' ');
    const std::string too_long =
        "sentence 1: its prefix and phrases have 65537 bytes; give at most 65536 for a sentence";
    const auto fault = [&](const TranslationRequest& request) {
        return error_of(ExitCode::data, [&] { constrained(toy, request); });
    };
    EXPECT_EQ(fault({"5 6 7", poison + "       ", {}}), too_long);
    EXPECT_EQ(fault({"5 6 7", poison, {"poison", "7"}}), too_long);
    EXPECT_EQ(fault({"5 6 7", "", {poison, "poison", "7"}}), too_long);
    EXPECT_EQ(fault({"5 6 7", "", std::vector<std::string>(65, "poison")}),
              "sentence 1 has more than 64 required phrases; give fewer");
    EXPECT_TRUE(constrained(toy, {"", poison + poison, {"7"}}).ids.empty());  // an empty sentence takes nothing
}

TEST(ConstrainedTranslation, AsMuchAsIsAllowedIsTaken) {
    const ToyTranslator toy;
    const std::string spaces(TranslationRequest::most_constraints - 5, ' ');
    EXPECT_EQ(constrained(toy, {"5 6 7", "25 20" + spaces, {}}).text.substr(0, 5), "25 20");
    EXPECT_GE(constrained(toy, {"5 6 7", "", std::vector<std::string>(64, "7")}).ids.size(), 64U);
}

TEST(ConstrainedTranslation, TheOrderOfPhrasesMeansNothing) {
    ToyTranslator toy;
    std::vector<std::string> phrases = {"10 11", "10 12", "11 10", "12"};
    std::sort(phrases.begin(), phrases.end());
    const Translation first = constrained(toy, {"5 6 7", "", phrases});
    while (std::next_permutation(phrases.begin(), phrases.end())) {
        EXPECT_EQ(constrained(toy, {"5 6 7", "", phrases}).ids, first.ids);
    }
    for (const std::vector<std::int32_t>& phrase : {std::vector<std::int32_t>{10, 11}, {10, 12}, {11, 10}, {12}}) {
        EXPECT_TRUE(has_phrase(first.ids, phrase)) << first.text;
    }
}

}  // namespace
}  // namespace softalign

#include "translate/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/tight_memory.h"
#include "sample_translation.h"
#include "text/fixtures.h"

namespace softalign {
namespace {

TEST(SoftAlignmentLine, HasLabelsAndWeights) {
    const SampleTokenizers tokenizers;
    EXPECT_EQ(soft_alignment_line(7, sample_translation(), AlignmentUnits::words, tokenizers.pair),
              R"({"index":7,"source":["5","6-7","3"],"target":["8-9","10","3"],)"
              R"("weights":[[0.4375,0.5,0.0625],[0.125,0.375,0.5],[0.0,0.25,0.75]]})");
    EXPECT_EQ(soft_alignment_line(0, sample_translation(), AlignmentUnits::pieces, tokenizers.pair),
              R"({"index":0,"source":["5","6","7","3"],"target":["8","9","10","3"],)"
              R"("weights":[[0.375,0.25,0.25,0.125],[0.5,0.25,0.25,0.0],[0.125,0.125,0.25,0.5],[0.0,0.0,0.25,0.75]]})");
}

TEST(SoftAlignmentLine, OfAnEmptySentence) {
    Translation empty;
    empty.source_ids = {3};
    empty.attention = {{1.0F}};
    for (const AlignmentUnits units : {AlignmentUnits::pieces, AlignmentUnits::words}) {
        EXPECT_EQ(soft_alignment_line(0, empty, units, SampleTokenizers().pair),
                  R"({"index":0,"source":["3"],"target":["3"],"weights":[[1.0]]})");
    }
}

TEST(SoftAlignmentLine, NumbersAreShortAndComeBackTheSame) {
    Translation translation = sample_translation();
    const std::vector<float> row = {0.1F, 1.0F / 3.0F, 1e-7F, std::numeric_limits<float>::min()};
    translation.attention.assign(4, row);
    const std::string line = soft_alignment_line(0, translation, AlignmentUnits::pieces, SampleTokenizers().pair);
    EXPECT_NE(line.find("[0.1,0.33333334,1e-07,1.1754944e-38]"), std::string::npos) << line;
    const auto weights = nlohmann::json::parse(line).at("weights").at(0).get<std::vector<double>>();
    ASSERT_EQ(weights.size(), row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
        EXPECT_EQ(static_cast<float>(weights[i]), row[i]);
    }
}

TEST(SentenceLine, HasAllThatIsKnown) {
    Translation second = sample_translation();
    second.text = "zweite";
    second.coverage = -0.25;
    second.model_token_log_probs = {{-0.5F, -0.25F}, {-1.5F, -0.5F}};
    second.attention.clear();
    EXPECT_EQ(
        sentence_line(3, {sample_translation(), second}, SampleTokenizers().pair, true),
        R"({"index":3,"source":"5 6-7","source_pieces":["5","6","7","3"],"translations":[)"
        R"({"text":"8-9 10","score":-0.5,"log_prob":-2.0,"length_norm":4.0,)"
        R"("confidence":0.59929097,"word_confidences":[0.60653067,0.2865048],"pieces":["8","9","10","3"],)"
        R"("token_log_probs":[-0.5,-0.1,-1.25,-0.15],"alignment":[[0,0],[0,1]],"word_alignment":[[1,0]],)"
        R"("attention":[[0.375,0.25,0.25,0.125],[0.5,0.25,0.25,0.0],[0.125,0.125,0.25,0.5],[0.0,0.0,0.25,0.75]]},)"
        R"({"text":"zweite","score":-0.5,"log_prob":-2.0,"length_norm":4.0,"coverage":-0.25,)"
        R"("confidence":0.59929097,"word_confidences":[0.60653067,0.2865048],"pieces":["8","9","10","3"],)"
        R"("token_log_probs":[-0.5,-0.1,-1.25,-0.15],)"
        R"("model_log_probs":[-0.75,-2.0]}]})");
    EXPECT_EQ(sentence_line(3, {sample_translation()}, SampleTokenizers().pair, false).find("attention"),
              std::string::npos);
}

TEST(SentenceLine, TakesAnyText) {
    Translation translation = sample_translation();
    translation.source = "quote \" backslash \\ tab \t line\u2028 \xF0\x9F\x98\x80";
    translation.text = "broken \xE2\x96 bytes";
    const std::string line = sentence_line(0, {translation}, SampleTokenizers().pair, false);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json.at("source"), translation.source);
    EXPECT_EQ(json.at("translations").at(0).at("text"), "broken \xEF\xBF\xBD bytes");
}

// JSON has no infinity, and null in the place of a number would be a surprise.
TEST(SentenceLine, RefusesWhatIsNoNumber) {
    const auto line_with = [](const std::function<void(Translation&)>& change) {
        Translation translation = sample_translation();
        change(translation);
        return error_of(ExitCode::numerical, [&] { sentence_line(0, {translation}, SampleTokenizers().pair, true); });
    };
    const std::string message = line_with([](Translation& t) { t.score = -INFINITY; });
    EXPECT_EQ(
        message,
        "a translation has -inf among its scores or weights, which JSON cannot hold; the weights of the model are "
        "damaged: try those of another checkpoint");
    EXPECT_NE(line_with([](Translation& t) { t.log_prob = NAN; }).find("nan"), std::string::npos);
    EXPECT_NE(line_with([](Translation& t) { t.length_norm = NAN; }).find("nan"), std::string::npos);
    EXPECT_NE(line_with([](Translation& t) { t.coverage = NAN; }).find("nan"), std::string::npos);
    EXPECT_NE(line_with([](Translation& t) { t.token_log_probs[1] = NAN; }).find("nan"), std::string::npos);
    EXPECT_NE(line_with([](Translation& t) { t.model_token_log_probs = {{NAN}}; }).find("nan"), std::string::npos);
    EXPECT_NE(line_with([](Translation& t) { t.attention[3][1] = NAN; }).find("nan"), std::string::npos);
}

// Nothing ends the program, wherever memory runs out.
TEST(ParagraphLine, ThrowsWhereMemoryIsShort) {
    expect_success_in_own_process([] {
        const SampleTokenizers tokenizers;
        TranslatedParagraph paragraph{"5 6-7", {}, {}, "a warning"};
        paragraph.sentences.assign(1000, {sample_translation(), sample_translation()});
        paragraph.restored.text = "5 6-7";
        paragraph.restored.sentences.assign(1000, {" ", "5 6-7 a", {"8-9 10 a", "8-9 10"}, {"a"}});
        paragraph.restored.behind = "!";
        const std::string expected = paragraph_line(0, paragraph, tokenizers.pair, true);
        constexpr std::uint64_t kibibyte = 1024;
        std::size_t failures = 0;
        for (std::uint64_t room = 0; room <= 16384; room += 128) {
            std::string line = expected;
            try {
                const TightMemory tight(room * kibibyte);
                line = paragraph_line(0, paragraph, tokenizers.pair, true);
            } catch (const std::bad_alloc&) {
                ++failures;
            }
            EXPECT_EQ(line, expected);
        }
        EXPECT_GT(failures, 5U);
        EXPECT_LT(failures, 120U);
    });
}

}  // namespace
}  // namespace softalign

#include "metrics/bleu.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace softalign {
namespace {

using Lines = std::vector<std::string>;
using Counts = std::array<std::int64_t, 4>;

std::string message_of(const Lines& hypotheses, const std::vector<Lines>& references) {
    try {
        corpus_bleu(hypotheses, references, {});
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::data);
        return error.what();
    }
    return "no error";
}

// The example of Papineni et al. (2002): "the" seven times matches as often as a reference has it.
TEST(Bleu, CountsAreClippedByTheReferenceWithTheMost) {
    const BleuScore score =
        corpus_bleu({"the the the the the the the"}, {{"the cat is on the mat"}, {"there is a cat on the mat"}}, {});
    EXPECT_EQ(score.correct, (Counts{2, 0, 0, 0}));
    EXPECT_EQ(score.total, (Counts{7, 6, 5, 4}));
    EXPECT_EQ(score.reference_length, 7);
}

TEST(Bleu, OfAPerfectTranslationIsAHundred) {
    const Lines lines{"a b c d e", "f g h i"};
    const BleuScore score = corpus_bleu(lines, {lines}, {});
    EXPECT_DOUBLE_EQ(score.score, 100.0);
    EXPECT_EQ(score.brevity_penalty, 1.0);
}

TEST(Bleu, ShortTranslationsPayTheBrevityPenalty) {
    const BleuScore score = corpus_bleu({"a b c d"}, {{"a b c d e f"}}, {});
    EXPECT_DOUBLE_EQ(score.brevity_penalty, std::exp(1.0 - 6.0 / 4.0));
    EXPECT_DOUBLE_EQ(score.score, 100.0 * score.brevity_penalty);
}

TEST(Bleu, TheClosestReferenceLengthCountsAndTheShorterOfTwo) {
    EXPECT_EQ(corpus_bleu({"a b c"}, {{"a b c d e"}, {"a b c d"}}, {}).reference_length, 4);
    EXPECT_EQ(corpus_bleu({"a b c"}, {{"a b c d"}, {"a b"}}, {}).reference_length, 2);
    EXPECT_EQ(corpus_bleu({"a b c"}, {{"a b"}, {"a b c d"}}, {}).reference_length, 2);
}

TEST(Bleu, TheOrderOfReferencesChangesNothing) {
    const Lines hypotheses{"the cat sat on the mat", "he reads a book"};
    const Lines first{"the cat is on the mat", "he is reading a book"};
    const Lines second{"a cat sat on a mat", "he reads"};
    EXPECT_EQ(corpus_bleu(hypotheses, {first, second}, {}).score, corpus_bleu(hypotheses, {second, first}, {}).score);
}

TEST(Bleu, EffectiveOrderLeavesOutOrdersThatNoHypothesisReaches) {
    BleuOptions options;
    EXPECT_EQ(corpus_bleu({"a b"}, {{"a b"}}, options).score, 0.0);
    options.effective_order = true;
    const BleuScore score = corpus_bleu({"a b"}, {{"a b"}}, options);
    EXPECT_DOUBLE_EQ(score.score, 100.0);
    EXPECT_EQ(score.signature, "nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0");
}

TEST(Bleu, WithoutAnyMatchIsZeroUnderEverySmoothing) {
    for (const std::string& name : bleu_smoothing_names()) {
        BleuOptions options;
        options.smoothing = *find_bleu_smoothing(name);
        const BleuScore score = corpus_bleu({"a b c d e"}, {{"v w x y z"}}, options);
        EXPECT_EQ(score.score, 0.0) << name;
        EXPECT_EQ(score.precisions, (std::array<double, 4>{})) << name;
    }
}

TEST(Bleu, EmptyHypothesesAndReferences) {
    const BleuScore score = corpus_bleu({"", "a b c d"}, {{"x y", ""}}, {});
    EXPECT_EQ(score.hypothesis_length, 4);
    EXPECT_EQ(score.reference_length, 2);
    EXPECT_EQ(corpus_bleu({""}, {{"x y"}}, {}).brevity_penalty, 0.0);
    EXPECT_EQ(corpus_bleu({""}, {{""}}, {}).score, 0.0);
}

TEST(Bleu, SignaturesNameEveryChoice) {
    const auto signature = [](const BleuOptions& options, std::size_t references) {
        return corpus_bleu({"a"}, std::vector<Lines>(references, Lines{"a"}), options).signature;
    };
    BleuOptions options;
    EXPECT_EQ(signature(options, 1), "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0");
    options.lowercase = true;
    options.tokenizer = BleuTokenizer::character;
    options.smoothing = BleuSmoothing::floor;
    EXPECT_EQ(signature(options, 3), "nrefs:3|case:lc|eff:no|tok:char|smooth:floor[0.10]|version:2.6.0");
    options.smoothing = BleuSmoothing::add_k;
    EXPECT_EQ(signature(options, 3), "nrefs:3|case:lc|eff:no|tok:char|smooth:add-k[1.00]|version:2.6.0");
    options.smooth_value = 0.256;
    EXPECT_EQ(signature(options, 3), "nrefs:3|case:lc|eff:no|tok:char|smooth:add-k[0.26]|version:2.6.0");
    options.smoothing = BleuSmoothing::none;
    EXPECT_EQ(signature(options, 3), "nrefs:3|case:lc|eff:no|tok:char|smooth:none|version:2.6.0");
}

TEST(Bleu, NamesComeBack) {
    for (const std::string& name : bleu_tokenizer_names()) {
        EXPECT_EQ(bleu_tokenizer_name(*find_bleu_tokenizer(name)), name);
    }
    EXPECT_EQ(find_bleu_tokenizer("13a"), BleuTokenizer::t13a);
    EXPECT_EQ(find_bleu_tokenizer("char"), BleuTokenizer::character);
    EXPECT_EQ(find_bleu_tokenizer("13b"), std::nullopt);
    EXPECT_EQ(find_bleu_smoothing("add-k"), BleuSmoothing::add_k);
    EXPECT_EQ(find_bleu_smoothing(""), std::nullopt);
}

TEST(Bleu, FaultsSayWhatIsUnequal) {
    EXPECT_EQ(message_of({}, {{}}), "scoring needs at least one hypothesis, and there is none");
    EXPECT_EQ(message_of({"a"}, {}), "scoring needs at least one reference stream, and there is none");
    EXPECT_EQ(message_of({"a"}, {{"a"}, {"a", "b"}}),
              "references differ in length: the first has 1 line, reference 2 has 2");
    EXPECT_EQ(message_of({"a", "b"}, {{"a"}}),
              "scoring needs a reference for every hypothesis: there are 2 hypotheses and 1 references");
}

}  // namespace
}  // namespace softalign

#include <optional>
#include <string>

#include "config/problems.h"

#include "config/helpers.h"

namespace softalign {

namespace {

TEST(EditDistance, CountsEditsAndSwaps) {
    EXPECT_EQ(edit_distance("", ""), 0U);
    EXPECT_EQ(edit_distance("abc", ""), 3U);
    EXPECT_EQ(edit_distance("", "ab"), 2U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("batch_szie", "batch_size"), 1U);
    EXPECT_EQ(edit_distance("abcd", "badc"), 2U);
    EXPECT_EQ(edit_distance("Batch-Size", "batch_size"), 0U);
}

TEST(Nearest, TakesTheNearestAndTheFirstOfEquals) {
    EXPECT_EQ(nearest("adm", {"sgd", "adadelta", "adam", "adamw"}), "adam");
    EXPECT_EQ(nearest("abcx", {"abcz", "abcy"}), "abcz");
    EXPECT_EQ(nearest("learning", {"learning_rates", "learnings"}), "learnings");
}

TEST(Nearest, SaysNothingWhereNothingIsNear) {
    EXPECT_EQ(nearest("foo", {"ema", "seed"}), std::nullopt);
    EXPECT_EQ(nearest("l1", {"l2"}), std::nullopt);
    EXPECT_EQ(nearest("x", {}), std::nullopt);
    EXPECT_EQ(nearest(std::string(100000, 'x'), {"seed"}), std::nullopt);
}

TEST(UnknownKey, OfThisSection) {
    EXPECT_EQ(describe_unknown_key("training", "batch_szie"),
              "unknown key training.batch_szie; did you mean training.batch_size?");
    EXPECT_EQ(describe_unknown_key("", "modle"), "unknown key modle; did you mean model?");
    EXPECT_EQ(describe_unknown_key("model", "Encoder"), "unknown key model.Encoder; did you mean model.encoder?");
}

TEST(UnknownKey, APartOfAName) {
    EXPECT_EQ(describe_unknown_key("model.encoder", "hidden"),
              "unknown key model.encoder.hidden; did you mean model.encoder.hidden_size?");
    EXPECT_EQ(describe_unknown_key("training", "clip"), "unknown key training.clip; did you mean training.clip_norm?");
    EXPECT_EQ(describe_unknown_key("training.optimizer", "learning"),
              "unknown key training.optimizer.learning; did you mean training.optimizer.learning_rate?");
    // Of several it may be any.
    EXPECT_NE(describe_unknown_key("search", "ratio").find("the keys of search are"), std::string::npos);
}

TEST(UnknownKey, OfAnotherSection) {
    EXPECT_EQ(describe_unknown_key("model", "sort_window"),
              "unknown key model.sort_window; sort_window is training.sort_window");
    EXPECT_EQ(describe_unknown_key("", "batch_size"),
              "unknown key batch_size; batch_size is training.batch_size or search.batch_size");
    EXPECT_EQ(describe_unknown_key("", "optimizer"), "unknown key optimizer; optimizer is training.optimizer");
    EXPECT_EQ(describe_unknown_key("model", "lerning_rate"),
              "unknown key model.lerning_rate; did you mean training.optimizer.learning_rate?");
}

TEST(UnknownKey, WithDots) {
    EXPECT_EQ(describe_unknown_key("", "training.seed"),
              "unknown key training.seed; sections nest: write seed inside training");
    EXPECT_EQ(describe_unknown_key("training", "optimizer.type"),
              "unknown key training.optimizer.type; sections nest: write type inside training.optimizer");
    EXPECT_EQ(describe_unknown_key("", "optimizer.type"),
              "unknown key optimizer.type; optimizer.type is training.optimizer.type");
    EXPECT_EQ(describe_unknown_key("", "modle.encoder.layers"),
              "unknown key modle.encoder.layers; did you mean model.encoder.layers?");
}

TEST(UnknownKey, OfARequest) {
    const std::string request = "it belongs to a request, not to a configuration: use the option ";
    for (const char* const name : {"n_best", "n-best", "N_Best"}) {
        EXPECT_EQ(describe_unknown_key("search", name),
                  std::string("unknown key search.") + name + "; " + request + "--n-best of softalign translate");
        EXPECT_EQ(describe_unknown_key("", name),
                  std::string("unknown key ") + name + "; " + request + "--n-best of softalign translate");
    }
    for (const char* const name : {"groups", "diverse_groups", "sampling", "sample"}) {
        const std::string option = name[0] == 's' ? "--sample" : "--diverse-groups";
        EXPECT_EQ(
            describe_unknown_key("search", name)
                .find(std::string("unknown key search.") + name + "; " + request + option + " of softalign translate"),
            0U)
            << name;
    }
    // A key of another section may be meant as well.
    EXPECT_EQ(describe_unknown_key("search", "max_source_length"),
              "unknown key search.max_source_length; " + request +
                  "--max-source-length of softalign translate, or the key data.max_source_length");
    EXPECT_EQ(describe_unknown_key("search", "max-source-length"),
              "unknown key search.max-source-length; " + request +
                  "--max-source-length of softalign translate, or the key data.max_source_length");
    EXPECT_EQ(describe_unknown_key("", "search.seed"),
              "unknown key search.seed; " + request + "--seed of softalign translate, or the key training.seed");
    EXPECT_EQ(describe_unknown_key("", "seed"), "unknown key seed; seed is training.seed");
}

TEST(UnknownKey, FarFromAllNamesWhatIsAllowedHere) {
    EXPECT_EQ(
        describe_unknown_key("search", "foo"),
        "unknown key search.foo; the keys of search are beam, patience, length_norm, length_alpha, coverage_penalty, "
        "word_penalty, min_length_ratio, max_length_ratio, max_length_offset, min_length, max_length, "
        "no_repeat_ngram, forbid_unk, shortlist, batch_size");
    EXPECT_EQ(describe_unknown_key("", "foo"),
              "unknown key foo; the sections are data, vocabulary, model, training, search, validation, checkpoints, "
              "report, runtime");
}

}  // namespace

}  // namespace softalign

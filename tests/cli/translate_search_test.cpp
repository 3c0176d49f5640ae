#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "base/error.h"
#include "cli/fixtures.h"
#include "cli/run_command.h"

namespace softalign {
namespace {

// How `translate` searches: the options that ask for more than the best translation, or for a certain one.
class TranslateSearch : public testing::Test {
protected:
    void SetUp() override { write_model(model_); }

    Arguments run(Arguments arguments) const {
        arguments.insert(arguments.begin(),
                         {"translate", "--model", model_, "--device", "cpu", "--quiet", "--input", input_});
        return lines_of(output_of(&add_translate_command, arguments));
    }

    std::string fault(ExitCode code, const Arguments& arguments) const {
        return error_of(code, [&] { run(arguments); });
    }

    std::string usage(const Arguments& arguments) const {
        try {
            run(arguments);
        } catch (const CLI::ParseError& error) {
            return error.what();
        }
        return "no error";
    }

    TemporaryFolder folder_;
    const std::string model_ = folder_.path("model");
    const std::string input_ = folder_.write("input", joined(model_sentences));
};

Arguments words(const std::string& text) {
    return split(text, ' ');
}

TEST_F(TranslateSearch, StartsAsAsked) {
    const std::string prefixes = folder_.write("prefixes", "dog a\n\nthe sm\n\nhouse \n");
    const Arguments plain = run({});
    const Arguments lines = run({"--prefixes", prefixes});
    ASSERT_EQ(lines.size(), 5U);
    EXPECT_EQ(lines[0].substr(0, 5), "dog a");
    EXPECT_EQ(lines[1], plain[1]);
    EXPECT_EQ(lines[2].substr(0, 9), "the small");
    EXPECT_EQ(lines[3], "");
    EXPECT_EQ(lines[4].substr(0, 6), "house ");
    EXPECT_GT(lines[4].size(), 6U);
}

TEST_F(TranslateSearch, AStartIsAllWhereThereIsNoRoomForMore) {
    const std::string prefixes = folder_.write("complete", "house \nthe house \ndog \n\nhouse\t\n");
    const Arguments lines = run({"--prefixes", prefixes, "--max-length", "2"});
    ASSERT_EQ(lines.size(), 5U);
    EXPECT_EQ(lines[0].substr(0, 5), "house");
    EXPECT_EQ(lines[1], "the house");
    EXPECT_EQ(lines[2].substr(0, 3), "dog");
    for (const std::string& line : lines) {
        EXPECT_LE(words(line).size(), 2U) << line;
    }
}

TEST_F(TranslateSearch, ContainsWhatMustOccur) {
    const std::string phrases = folder_.write("phrases", "small dog\thouse\ncat\n\n\nthe the\n");
    const Arguments lines = run({"--phrases", phrases, "--beam", "6"});
    ASSERT_EQ(lines.size(), 5U);
    EXPECT_NE(lines[0].find("small dog"), std::string::npos) << lines[0];
    EXPECT_NE(lines[0].find("house"), std::string::npos) << lines[0];
    EXPECT_NE(lines[1].find("cat"), std::string::npos) << lines[1];
    EXPECT_NE(lines[4].find("the the"), std::string::npos) << lines[4];
    const std::string overlapping = folder_.write("overlapping", "small dog\tdog house\n\n\n\n\n");
    const std::string reversed = folder_.write("reversed", "dog house\tsmall dog\n\n\n\n\n");
    const Arguments either = run({"--phrases", overlapping});
    EXPECT_EQ(run({"--phrases", reversed}), either);
    EXPECT_NE(either[0].find("small dog"), std::string::npos) << either[0];
    EXPECT_NE(either[0].find("dog house"), std::string::npos) << either[0];
}

TEST_F(TranslateSearch, PrefixesAndPhrasesMustFit) {
    const std::string three = folder_.write("three", "a\nb\nc\n");
    EXPECT_NE(fault(ExitCode::data, {"--prefixes", three}).find(three + " has fewer lines than the 4 read so far of "),
              std::string::npos);
    const std::string six = folder_.write("six", "\n\n\n\n\n\n");
    EXPECT_NE(fault(ExitCode::data, {"--phrases", six}).find(six + " has more lines than the 5 of "),
              std::string::npos);
    const std::string gap = folder_.write("gap", "\ncat\t\tdog\n\n\n\n");
    EXPECT_NE(fault(ExitCode::data, {"--phrases", gap}).find(gap + ":2:5: an empty phrase"), std::string::npos);
    const std::string unknown = folder_.write("unknown", "\n\nzebra\n\n\n");
    EXPECT_NE(fault(ExitCode::data, {"--phrases", unknown}).find("sentence 3: the phrase 'zebra' cannot be written"),
              std::string::npos);
}

TEST_F(TranslateSearch, DrawsWhatTheSeedSays) {
    const Arguments one = run({"--sample", "--n-best", "4", "--seed", "7"});
    ASSERT_EQ(one.size(), 17U);
    const Arguments alone = run({"--sample", "--n-best", "4", "--seed", "7", "--batch-size", "1"});
    ASSERT_EQ(alone.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {  // scores to the rounding
        EXPECT_EQ(alone[i].substr(0, alone[i].rfind("|||")), one[i].substr(0, one[i].rfind("|||")));
    }
    EXPECT_NE(run({"--sample", "--n-best", "4", "--seed", "8"}), one);
    // From one piece there is nothing to draw: greedy search.
    EXPECT_EQ(run({"--sample", "--top-k", "1"}), run({"--beam", "1"}));
    EXPECT_EQ(run({"--sample", "--top-p", "1e-9"}), run({"--beam", "1"}));
    EXPECT_EQ(run({"--sample", "--temperature", "0.001"}), run({"--beam", "1"}));
}

TEST_F(TranslateSearch, GroupsKeepApart) {
    const Arguments lines =
        run({"--beam", "4", "--n-best", "4", "--diverse-groups", "4", "--diversity", "100", "--pieces"});
    ASSERT_EQ(lines.size(), 17U);
    std::set<std::string> first_words;
    for (std::size_t i = 0; i < 4; ++i) {
        const Arguments columns = words(lines[i]);
        first_words.insert(columns.size() > 3 && columns[2] != "|||" ? columns[2] : "");
    }
    EXPECT_EQ(first_words.size(), 4U) << joined(lines);
    // Groups that do not keep apart leave no gap.
    const Arguments same = run({"--beam", "4", "--n-best", "4", "--diverse-groups", "4", "--diversity", "0"});
    EXPECT_EQ(same.size(), 17U) << joined(same);
}

TEST_F(TranslateSearch, RulesThatCannotBeMetAreNamed) {
    const std::string output = folder_.path("output");
    const Arguments never = {"--min-length",
                             "20",
                             "--max-length",
                             "20",
                             "--max-length-ratio",
                             "9",
                             "--no-repeat-ngram",
                             "1",
                             "--forbid-unk",
                             "--json",
                             folder_.path("json"),
                             "--output",
                             output};
    EXPECT_EQ(fault(ExitCode::data, never),
              "sentence 1: the search found no translation that keeps to all of its rules: at most 20 pieces, at least "
              "20 pieces (search.min_length, search.min_length_ratio), no sequence of 1 piece twice "
              "(search.no_repeat_ngram), no unknown piece (search.forbid_unk); relax one of them");
    EXPECT_FALSE(std::filesystem::exists(output));
    const std::string prefixes = folder_.write("prefixes", "\nzebra\n\n\n\n");
    EXPECT_EQ(run({"--prefixes", prefixes})[1].substr(0, 5), "<unk>");
    EXPECT_NE(fault(ExitCode::data, {"--prefixes", prefixes, "--forbid-unk"})
                  .find("sentence 2: the prefix 'zebra' needs the unknown piece, which search.forbid_unk keeps away"),
              std::string::npos);
}

TEST_F(TranslateSearch, LengthsAndRepetitionsAreKeptTo) {
    for (const std::string& line :
         run({"--min-length", "6", "--max-length", "6", "--max-length-ratio", "9", "--pieces"})) {
        EXPECT_EQ(words(line).size(), line.empty() ? 0U : 6U) << line;
    }
    for (const std::string& line : run({"--max-length", "2", "--pieces"})) {
        EXPECT_LE(words(line).size(), 2U) << line;
    }
    for (const std::string& line :
         run({"--min-length-ratio", "0.5", "--no-repeat-ngram", "1", "--forbid-unk", "--pieces"})) {
        const Arguments all = words(line);
        EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size()) << line;
    }
}

TEST_F(TranslateSearch, ScoresAreWhatTheOptionsSay) {
    const std::string scores = folder_.path("scores");
    run({"--length-norm", "wu", "--length-alpha", "0.6", "--word-penalty", "0.25", "--pieces", "--output",
         folder_.path("pieces"), "--scores", scores});
    const Arguments pieces = lines_of(read_bytes(folder_.path("pieces")));
    const Arguments lines = lines_of(read_bytes(scores));
    ASSERT_EQ(lines.size(), 5U);
    for (const std::size_t i : {0U, 1U, 2U, 4U}) {
        const double length = static_cast<double>(words(pieces[i]).size()) + 1.0;
        const double log_prob = std::stod(split(lines[i], '\t')[1]);
        EXPECT_NEAR(std::stod(lines[i]), log_prob / std::pow((5.0 + length) / 6.0, 0.6) - 0.25 * length, 2e-6);
    }
    run({"--coverage-penalty", "0.4", "--scores", scores, "--output", folder_.path("out")});
    run({"--scores", folder_.path("plain"), "--output", folder_.path("out")});
    EXPECT_LE(std::stod(lines_of(read_bytes(scores))[0]), std::stod(lines_of(read_bytes(folder_.path("plain")))[0]));
}

TEST_F(TranslateSearch, OptionsThatDoNotGoTogether) {
    EXPECT_NE(fault(ExitCode::usage, {"--diverse-groups", "2", "--beam", "5"})
                  .find("--beam must be a multiple of --diverse-groups; now --diverse-groups is 2 and --beam is 5"),
              std::string::npos);
    EXPECT_NE(fault(ExitCode::usage, {"--diverse-groups", "2", "--sample"}).find("exclude each other"),
              std::string::npos);
    EXPECT_EQ(
        fault(ExitCode::usage, {"--min-length", "9", "--max-length", "3"}),
        "--min-length 9: --min-length must not be above --max-length, unless that is 0; now --min-length is 9 and "
        "--max-length is 3");
    EXPECT_EQ(
        fault(ExitCode::usage, {"--max-length-offset", "0", "--max-length-ratio", "0"}).find("--max-length-ratio 0"),
        0U);
    EXPECT_NE(usage({"--sample", "--beam", "4"}).find("excludes"), std::string::npos);
    for (const Arguments& alone :
         {Arguments{"--temperature", "2"}, {"--top-k", "2"}, {"--top-p", "0.5"}, {"--seed", "2"}}) {
        EXPECT_NE(usage(alone).find(alone.front() + " requires --sample"), std::string::npos) << usage(alone);
    }
    const std::string phrases = folder_.write("phrases", "cat\n\n\n\n\n");
    EXPECT_NE(fault(ExitCode::usage, {"--sample", "--phrases", phrases}).find("--phrases cannot be combined with"),
              std::string::npos);
}

TEST_F(TranslateSearch, TheLastOfRepeatedFlagsCounts) {
    const Arguments more_than_the_beam = {"--n-best", "7"};  // which only sampling gives
    Arguments sampling = {"--sample=false", "--sample"};
    sampling.insert(sampling.end(), more_than_the_beam.begin(), more_than_the_beam.end());
    EXPECT_GT(run(sampling).size(), model_sentences.size());
    Arguments searching = {"--sample", "--sample", "--sample=false"};
    searching.insert(searching.end(), more_than_the_beam.begin(), more_than_the_beam.end());
    EXPECT_EQ(fault(ExitCode::usage, searching).find("--n-best 7: --beam must be at least --n-best"), 0U);
}

TEST_F(TranslateSearch, TheCoveragePenaltyNeedsAttention) {
    Config config = small_model_config();
    config.model.attention.type = AttentionType::none;
    write_model(folder_.path("blind"), config);
    const std::string expected = "--coverage-penalty: " + folder_.path("blind") + " is a model without attention";
    const auto translate = [&] {
        output_of(&add_translate_command,
                  {"translate", "--model", folder_.path("blind"), "--input", input_, "--coverage-penalty", "0.2"});
    };
    EXPECT_EQ(error_of(ExitCode::usage, translate), expected);
    const auto evaluate = [&] {
        output_of(&add_evaluate_command, {"evaluate", "--model", folder_.path("blind"), "--source", input_,
                                          "--references", input_, "--coverage-penalty", "0.2"});
    };
    EXPECT_EQ(error_of(ExitCode::usage, evaluate), expected);
}

}  // namespace
}  // namespace softalign

#include <gtest/gtest.h>
#include <zlib.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/run_command.h"

namespace softalign {
namespace {

class EvaluateCommand : public testing::Test {
protected:
    void SetUp() override {
        directory_ =
            std::filesystem::temp_directory_path() /
            ("softalign_evaluate_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
        std::filesystem::create_directories(directory_);
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::string file(const std::string& name, const std::string& content) {
        const std::string path = (directory_ / name).string();
        std::ofstream(path, std::ios::binary) << content;
        return path;
    }

    std::string gzip_file(const std::string& name, const std::string& content) {
        const std::string path = (directory_ / name).string();
        gzFile gz = gzopen(path.c_str(), "wb");
        gzwrite(gz, content.data(), static_cast<unsigned>(content.size()));
        gzclose(gz);
        return path;
    }

    // What the command prints on standard output.
    static std::string run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "evaluate");
        return output_of(&add_evaluate_command, arguments);
    }

    static std::string fault(ExitCode code, const std::vector<std::string>& arguments) {
        try {
            run(arguments);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), code);
            return error.what();
        }
        return "no error";
    }

    std::filesystem::path directory_;
};

TEST_F(EvaluateCommand, PrintsTheScoreOfAFile) {
    const std::string hypotheses = file("out", "the cat sat on the mat\r\nyes\r\n");
    const std::string reference = file("ref", "the cat sat on the mat\nyes\n");
    EXPECT_EQ(run({"--hypotheses", hypotheses, "--references", reference}),
              "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 100.0 100.0/100.0/100.0/100.0 "
              "(BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)\n");
}

TEST_F(EvaluateCommand, TakesSeveralReferencesPackedOnesAndAllOptions) {
    const std::string hypotheses = file("out", "The cat, sat\n");
    const std::string first = gzip_file("ref1.gz", "the dog , sat\n");
    const std::string second = file("ref2", "the cat sat\n");
    const auto report = nlohmann::json::parse(
        run({"--hypotheses", hypotheses, "--references", first, second, "--metrics", "bleu", "--tokenize", "intl",
             "--lowercase", "--smooth-method", "add-k", "--smooth-value", "2", "--format", "json"}));
    // 4 of 4 words; 2 of 3 pairs, 0 of 2 triples and 0 of 1, each with 2 added above and below.
    EXPECT_NEAR(report.at("score").get<double>(), std::pow(100.0 * 80.0 * 50.0 * 200.0 / 3.0, 0.25), 1e-12);
    EXPECT_EQ(report.at("signature"), "nrefs:2|case:lc|eff:no|tok:intl|smooth:add-k[2.00]|version:2.6.0");
    EXPECT_EQ(report.at("verbose_score"), "100.0/80.0/50.0/66.7 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)");
}

// The files of one WMT17 system start with one.
TEST_F(EvaluateCommand, AByteOrderMarkIsPartOfTheFirstWordAndWarnedOf) {
    const std::string plain = file("plain", "the cat sat on the mat\nyes\n");
    const std::string marked = file("marked", "\xEF\xBB\xBFthe cat sat on the mat\nyes\n");
    const std::string packed = gzip_file("packed.gz", "\xEF\xBB\xBFthe cat sat on the mat\nyes\n");
    const auto score = [](const std::string& hypotheses, const std::string& reference) {
        testing::internal::CaptureStderr();
        const std::string text =
            run({"--hypotheses", hypotheses, "--references", reference, "--metrics", "ter", "--quiet", "--width", "2"});
        return text + testing::internal::GetCapturedStderr();
    };
    const auto warning = [](const std::string& name) {
        return "softalign: warning: " + name +
               " starts with a byte order mark. It is scored as part of the first word, as sacreBLEU does; remove it "
               "unless you compare with scores of sacreBLEU\n";
    };
    EXPECT_EQ(score(plain, plain), "0.00\n");
    EXPECT_EQ(score(marked, plain), "14.29\n" + warning(marked));
    EXPECT_EQ(score(plain, packed), "14.29\n" + warning(packed));
    EXPECT_EQ(score(marked, packed), "0.00\n" + warning(packed) + warning(marked));
}

// Its words are counted, not scored: with the mark, the first one would be unknown to the training text.
TEST_F(EvaluateCommand, AByteOrderMarkOfTheSourceIsDropped) {
    const std::string hypotheses = file("out", "a b\nc d\n");
    const std::string training = file("training", "A B\nC D\n");
    const auto report = [&](const std::string& source) {
        return run({"--hypotheses", hypotheses, "--references", hypotheses, "--by", "frequency", "--source", source,
                    "--training-source", training});
    };
    EXPECT_EQ(report(file("marked",
                          "\xEF\xBB\xBF"
                          "A B\nC D\n")),
              report(training));
}

TEST_F(EvaluateCommand, OptionsReachTheirMetrics) {
    const std::string hypotheses = file("out", "The cat, sat\n");
    const std::string reference = file("ref", "the cat sat !\n");
    const auto signature = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"--hypotheses", hypotheses, "--references", reference, "--format", "json"});
        return nlohmann::json::parse(run(options)).at("signature").get<std::string>();
    };
    EXPECT_EQ(signature({"--metrics", "chrf", "--chrf-char-order", "4", "--chrf-word-order", "1", "--chrf-beta", "3",
                         "--chrf-whitespace", "--chrf-lowercase", "--chrf-eps-smoothing"}),
              "nrefs:1|case:lc|eff:no|nc:4|nw:1|space:yes|version:2.6.0");
    EXPECT_EQ(signature({"--metrics", "ter", "--ter-normalized", "--ter-no-punct", "--ter-asian-support",
                         "--ter-case-sensitive"}),
              "nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version:2.6.0");
    EXPECT_EQ(signature({"--effective-order", "--confidence", "--confidence-n", "10", "--seed", "3"}),
              "nrefs:1|bs:10|seed:3|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0");
    EXPECT_EQ(run({"--hypotheses", hypotheses, "--references", reference, "--metrics", "ter", "--quiet", "--width", "2",
                   "--ter-normalized", "--ter-no-punct"}),
              "0.00\n");
}

TEST_F(EvaluateCommand, ComparesSystemsUnderTheirNames) {
    const std::string first = file("one", "a b c d\ne f g h\n");
    const std::string second = file("two", "a b c d\ne f g x\n");
    const std::string source = file("source", "A B\nC D\n");
    const std::string training = file("training", "A B C\n");
    const std::string text = run({"--hypotheses",
                                  first,
                                  second,
                                  "--references",
                                  first,
                                  "--metrics",
                                  "bleu,ter",
                                  "--paired-ar",
                                  "--paired-ar-n",
                                  "50",
                                  "--names",
                                  "best,worse",
                                  "--by",
                                  "length,frequency,words",
                                  "--source",
                                  source,
                                  "--training-source",
                                  training,
                                  "--training-target",
                                  first,
                                  "--changes",
                                  "1"});
    for (const char* part :
         {"baseline: best  100.0", "worse            ", "|ar:50|seed:12345|", "By the length of the source",
          "By how often the source's rarest word is in the training text", "Words of the target language",
          "Sentences that lost most from best to worse (BLEU of the sentence)\nline 2: 100.0 -> "}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    }
    EXPECT_EQ(text.find("\n\n\n"), std::string::npos);
}

TEST_F(EvaluateCommand, LinesEndWhereSacreBleuEndsThem) {
    // A carriage return within a line and a line separator are white space.
    const std::string odd = file("odd",
                                 "a\rb\xE2\x80\xA8"
                                 "c\nd e\n");
    const std::string plain = file("plain", "a b c\nd e\n");
    EXPECT_EQ(run({"--hypotheses", odd, "--references", plain, "--metrics", "ter", "--quiet"}), "0.0\n");
}

TEST_F(EvaluateCommand, ErrorRates) {
    const std::string read = file("read", "The cat sat\n");
    const std::string lines = file("lines", "the cat sits\n");
    EXPECT_EQ(run({"--hypotheses", read, "--references", lines, "--metrics", "wer,cer", "--quiet"}), "25.0\n66.7\n");
    EXPECT_EQ(run({"--hypotheses", read, "--references", lines, "--metrics", "cer", "--error-rate-lowercase"}),
              "CER|nrefs:1|case:lc|norm:nfc|ref:closest = 16.7\n");
}

TEST_F(EvaluateCommand, FaultsOfTheCommandLine) {
    const std::string text = file("text", "a\n");
    EXPECT_EQ(fault(ExitCode::usage, {"--references", text}),
              "evaluate takes either --hypotheses FILE, or --model DIR and --source FILE to translate first");
    EXPECT_EQ(fault(ExitCode::usage, {"--hypotheses", text, "--model", "m", "--references", text}),
              "evaluate takes either --hypotheses FILE, or --model DIR and --source FILE to translate first");
    EXPECT_EQ(fault(ExitCode::usage, {"--model", "m", "--references", text}),
              "--model needs --source: the text that the model is to translate");
    EXPECT_EQ(fault(ExitCode::usage, {"--hypotheses", "-", text, "-", "--references", text}),
              "--hypotheses names standard input twice");
    EXPECT_EQ(fault(ExitCode::usage, {"--hypotheses", text, text, "--references", text, "--names", "a"}),
              "--names takes as many names as there are systems, with commas between: 2, not 1");
    EXPECT_EQ(fault(ExitCode::usage, {"--hypotheses", "-", "--references", "-"}),
              "--hypotheses and --references cannot both be standard input");
    EXPECT_EQ(fault(ExitCode::usage, {"--model", "m", "--source", text, "--references", text, "--output", "-"}),
              "--output -: standard output has the scores; give it a file");
    EXPECT_EQ(fault(ExitCode::usage, {"--hypotheses", text, "--references", text, "--metrics", "bleu,comet"}),
              "--metrics: unknown metric 'comet'; there is: bleu, chrf, chrf++, ter, cer, wer");
    EXPECT_THROW(run({"--hypotheses", text}), CLI::RequiredError);
    EXPECT_THROW(run({"--hypotheses", text, "--references", text, "--beam", "4"}), CLI::RequiresError);
    EXPECT_THROW(run({"--model", "m", "--source", text, "--references", text, "--beam", "0"}), CLI::ValidationError);
    EXPECT_THROW(run({"--model", "m", "--source", text, "--references", text, "--device", "tpu"}),
                 CLI::ValidationError);
}

TEST_F(EvaluateCommand, FaultsOfTheFilesAreFoundBeforeTheModelIsLoaded) {
    const std::string one = file("one", "a\n");
    const std::string two = file("two", "a\nb\n");
    const std::string expected =
        one + " has 1 line, but " + two + " has 2 lines; a reference needs one line for each line that is scored";
    EXPECT_EQ(fault(ExitCode::data, {"--hypotheses", one, "--references", two}), expected);
    EXPECT_EQ(fault(ExitCode::data, {"--model", "absent", "--source", one, "--references", two}), expected);
    EXPECT_EQ(fault(ExitCode::usage, {"--model", "absent", "--source", one, "--references", one, "--by", "words"})
                  .find("--by words needs the text"),
              0U);
    const std::string missing = (directory_ / "missing").string();
    EXPECT_NE(fault(ExitCode::data, {"--hypotheses", one, "--references", missing}).find(missing), std::string::npos);
    const std::string latin = file("latin1", "a\nb\xE4z\n");
    EXPECT_NE(fault(ExitCode::data, {"--hypotheses", latin, "--references", two}).find(latin + ":2"),
              std::string::npos);
}

}  // namespace
}  // namespace softalign

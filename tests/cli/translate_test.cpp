#include <gtest/gtest.h>
#include <zlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/error.h"
#include "cli/command_test.h"
#include "cli/program.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class TranslateCommand : public CommandTest {
protected:
    void SetUp() override { write_model(model_); }

    std::string path(const std::string& name) const { return folder_.path(name); }
    std::string file(const std::string& name, const std::string& text) const { return folder_.write(name, text); }

    // What the command prints on standard output.
    std::string run(Arguments arguments) {
        CLI::App program;
        Action action;
        add_translate_command(program, action);
        if (std::find(arguments.begin(), arguments.end(), "--model") == arguments.end()) {
            arguments.insert(arguments.begin(), {"--model", model_});
        }
        arguments.insert(arguments.begin(), {"translate", "--device", "cpu"});
        std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes a vector
        program.parse(arguments);
        testing::internal::CaptureStdout();
        try {
            EXPECT_EQ(action(), 0);
        } catch (...) {
            printed_before_fault_ = testing::internal::GetCapturedStdout();
            throw;
        }
        return testing::internal::GetCapturedStdout();
    }

    // The lines of --scores.
    Arguments scores(const Arguments& more) {
        Arguments arguments = {"--input", input_, "--scores", path("scores.txt")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        run(arguments);
        return lines_of(read_bytes(path("scores.txt")));
    }

    std::string fault(ExitCode code, const Arguments& arguments) {
        try {
            run(arguments);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), code);
            return error.what();
        } catch (const CLI::ParseError& error) {
            EXPECT_EQ(code, ExitCode::usage);
            return error.what();
        }
        return "no error";
    }

    std::size_t temporary_files() const {
        std::size_t count = 0;
        for (const auto& entry : fs::directory_iterator(folder_.path(""))) {
            count += entry.path().string().find(".tmp") != std::string::npos ? 1 : 0;
        }
        return count;
    }

    const std::string model_ = folder_.path("model");
    const std::string input_ = folder_.write("input.txt", joined(model_sentences));
    std::string printed_before_fault_;
};

TEST_F(TranslateCommand, OneLineInOneLineOut) {
    const std::string text = run({"--input", input_});
    const Arguments lines = lines_of(text);
    ASSERT_EQ(lines.size(), model_sentences.size());
    EXPECT_EQ(lines[3], "");
    EXPECT_FALSE(lines[0].empty());

    EXPECT_EQ(run({"--input", input_, "--output", path("out.txt")}), "");
    EXPECT_EQ(read_bytes(path("out.txt")), text);
    EXPECT_EQ(run({"--input", input_, "--mode", "latency", "--quiet"}), text);
    EXPECT_EQ(run({"--input", input_, "--mode", "throughput", "--quiet"}), text);
    EXPECT_EQ(run({"--input", input_, "--batch-size", "2", "--workers", "3"}), text);
}

TEST_F(TranslateCommand, SaysHowFastItWasUnlessQuiet) {
    run({"--input", input_, "--quiet"});
    EXPECT_EQ(log_.text(), "");
    run({"--input", input_, "--max-source-length", "4"});
    EXPECT_NE(log_.text().find("2 of 5 sentences had more than 4 pieces"), std::string::npos) << log_.text();
    EXPECT_NE(log_.text().find("5 sentences in "), std::string::npos) << log_.text();
    EXPECT_NE(log_.text().find(" sentences/s; beam 3, 1 worker, float32)"), std::string::npos) << log_.text();
}

TEST_F(TranslateCommand, RoundsToBfloat16WhereThatIsAskedFor) {
    const Arguments full = scores({});
    const Arguments rounded = scores({"--precision", "bfloat16"});
    EXPECT_NE(full, rounded);
    ASSERT_EQ(full.size(), rounded.size());
    for (std::size_t i = 0; i < full.size(); ++i) {
        EXPECT_NEAR(std::stod(full[i]), std::stod(rounded[i]), 0.02);
    }
    EXPECT_EQ(scores({"--precision", "float32"}), full);

    Config config = small_model_config();
    config.runtime.precision = Precision::bfloat16;
    write_model(path("rounding"), config);
    EXPECT_EQ(scores({"--model", path("rounding")}), rounded);
    EXPECT_NE(fault(ExitCode::usage, {"--input", input_, "--precision", "half"}).find("float32"), std::string::npos);
}

// Whatever shares a batch, and for any number of workers.
TEST_F(TranslateCommand, RoundsToInt8WhereThatIsAskedFor) {
    const Arguments full = scores({});
    const Arguments rounded = scores({"--precision", "int8"});
    EXPECT_NE(log_.text().find(", int8)"), std::string::npos) << log_.text();
    EXPECT_NE(full, rounded);
    ASSERT_EQ(full.size(), rounded.size());
    for (std::size_t i = 0; i < full.size(); ++i) {
        EXPECT_NEAR(std::stod(full[i]), std::stod(rounded[i]), 0.02);
    }
    EXPECT_EQ(scores({"--precision", "int8", "--batch-size", "1", "--workers", "2"}), rounded);

    Config config = small_model_config();
    config.runtime.precision = Precision::int8;
    write_model(path("rounding"), config);
    EXPECT_EQ(scores({"--model", path("rounding")}), rounded);
}

TEST_F(TranslateCommand, TakesPackedInput) {
    gzFile gz = gzopen(path("input.gz").c_str(), "wb");
    const std::string text = joined(model_sentences);
    gzwrite(gz, text.data(), static_cast<unsigned>(text.size()));
    gzclose(gz);
    EXPECT_EQ(run({"--input", path("input.gz")}), run({"--input", input_}));
}

TEST_F(TranslateCommand, WritesAnNBestListWithScoresAndAlignments) {
    const Arguments lines = lines_of(run({"--input", input_, "--n-best", "2", "--beam", "4", "--alignments",
                                          path("align.txt"), "--scores", path("scores.txt")}));
    ASSERT_EQ(lines.size(), 9U);  // two a sentence, one for the empty one
    EXPECT_EQ(lines[0].substr(0, 6), "0 ||| ");
    EXPECT_EQ(lines[1].substr(0, 6), "0 ||| ");
    EXPECT_EQ(lines[6], "3 |||  ||| 0.000000");
    EXPECT_EQ(lines[8].substr(0, 6), "4 ||| ");
    const Arguments scores = lines_of(read_bytes(path("scores.txt")));
    const Arguments alignments = lines_of(read_bytes(path("align.txt")));
    ASSERT_EQ(scores.size(), 9U);
    ASSERT_EQ(alignments.size(), 9U);
    EXPECT_EQ(alignments[6], "");
    EXPECT_NE(alignments[0].find("-0"), std::string::npos);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        EXPECT_EQ(lines[i].substr(lines[i].rfind(' ') + 1), scores[i].substr(0, scores[i].find('\t')));
    }
    EXPECT_LE(std::stod(scores[1]), std::stod(scores[0]));
}

TEST_F(TranslateCommand, TheSearchFollowsItsOptions) {
    const auto longest = [&](const Arguments& options) {
        Arguments arguments = {"--input", input_, "--pieces", "--beam", "1"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        std::ptrdiff_t words = 0;
        for (const std::string& line : lines_of(run(arguments))) {
            words = std::max(words, line.empty() ? 0 : std::count(line.begin(), line.end(), ' ') + 1);
        }
        return words;
    };
    EXPECT_EQ(longest({"--max-length-ratio", "0", "--max-length-offset", "1"}), 1);
    EXPECT_LE(longest({"--max-length-ratio", "0.5", "--max-length-offset", "0"}), 3);
    EXPECT_LE(longest({"--max-source-length", "1", "--max-length-offset", "1"}), 2);

    run({"--input", input_, "--length-alpha", "0", "--scores", path("plain.txt"), "--output", path("out.txt")});
    for (const std::string& line : lines_of(read_bytes(path("plain.txt")))) {
        EXPECT_EQ(line.substr(0, line.find('\t')), line.substr(line.find('\t') + 1));
    }
}

TEST_F(TranslateCommand, TakesOtherWeights) {
    EXPECT_NE(run({"--input", input_, "--weights", model_ + "/other.safetensors"}), run({"--input", input_}));
}

TEST_F(TranslateCommand, WritesPieces) {
    const std::string text = run({"--input", input_, "--pieces"});
    EXPECT_NE(text.find("\xE2\x96\x81"), std::string::npos) << text;
}

TEST_F(TranslateCommand, BadInputIsAnErrorAndLeavesNothing) {
    const std::string bad = file("bad.txt", "a dog\nthe \xFF cat\n");
    const std::string message = fault(ExitCode::data, {"--input", bad, "--output", path("out.txt")});
    EXPECT_NE(message.find("bad.txt:2:5: invalid UTF-8"), std::string::npos) << message;
    EXPECT_FALSE(fs::exists(path("out.txt")));
    EXPECT_EQ(temporary_files(), 0U);
    EXPECT_NE(fault(ExitCode::data, {"--input", path("missing.txt")}).find("missing.txt"), std::string::npos);
}

TEST_F(TranslateCommand, WritesWhatCameBeforeBadInput) {
    const std::string bad = file("bad.txt", "a dog\nthe \xFF cat\na house\n");
    const std::string first = lines_of(run({"--input", input_}))[1] + "\n";
    for (const std::string mode : {"auto", "latency", "throughput"}) {
        fault(ExitCode::data, {"--input", bad, "--mode", mode});
        EXPECT_EQ(printed_before_fault_, first) << mode;
    }
}

TEST_F(TranslateCommand, AWrongCommandLineIsAnError) {
    EXPECT_NE(
        fault(ExitCode::usage, {"--input", input_, "--n-best", "9"})
            .find("--beam must be at least --n-best; now --n-best is 9 and --beam is 3 (the model's configuration)"),
        std::string::npos);
    EXPECT_NE(fault(ExitCode::usage, {"--input", input_, "--n-best", "9", "--beam", "4"})
                  .find("--beam must be at least --n-best; now --n-best is 9 and --beam is 4"),
              std::string::npos);
    EXPECT_NE(fault(ExitCode::usage, {"--alignments", "-"}).find("both write to standard output"), std::string::npos);
    EXPECT_NE(fault(ExitCode::usage, {"--alignments", path("x"), "--scores", path("x")})
                  .find("--alignments and --scores would both write to"),
              std::string::npos);
    EXPECT_NE(fault(ExitCode::usage, {"--beam", "0"}).find("--beam"), std::string::npos);
    EXPECT_NE(fault(ExitCode::usage, {"--length-alpha", "-1"}).find("--length-alpha"), std::string::npos);
    EXPECT_NE(fault(ExitCode::usage, {"--mode", "fast"}).find("--mode"), std::string::npos);
    EXPECT_NE(fault(ExitCode::usage, {"--device", "gpu"}).find("--device"), std::string::npos);
}

TEST_F(TranslateCommand, UnknownPiecesAreForbiddenOrReplaced) {
    const std::string model = path("unknown");
    write_model(model, small_model_config(), {{1, 8.0}});
    const std::string input = file("names.txt", "Obama Merkel\nthe Obama sees\n");
    const std::string plain = run({"--model", model, "--input", input});
    EXPECT_NE(plain.find("<unk>"), std::string::npos) << plain;

    const std::string forbidden = run({"--model", model, "--input", input, "--forbid-unk"});
    EXPECT_EQ(forbidden.find("<unk>"), std::string::npos) << forbidden;
    EXPECT_EQ(run({"--model", model, "--input", input, "--forbid-unk=false"}), plain);

    const std::string replaced = run({"--model", model, "--input", input, "--replace-unk"});
    EXPECT_EQ(replaced.find("<unk>"), std::string::npos) << replaced;
    EXPECT_NE(replaced.find("Obama"), std::string::npos) << replaced;

    const std::string dictionary = file("words.txt", "Obama\tPresident\nsees\tsieht\n");
    const std::string translated =
        run({"--model", model, "--input", input, "--replace-unk", "--dictionary", dictionary});
    EXPECT_NE(translated.find("President"), std::string::npos) << translated;
    EXPECT_EQ(translated.find("Obama"), std::string::npos) << translated;
}

TEST_F(TranslateCommand, TheConfigurationMayForbidUnknownPieces) {
    const std::string model = path("unknown");
    Config config = small_model_config();
    config.search.forbid_unk = true;
    write_model(model, config, {{1, 8.0}});
    EXPECT_EQ(run({"--model", model, "--input", input_}).find("<unk>"), std::string::npos);
    EXPECT_NE(run({"--model", model, "--input", input_, "--forbid-unk=false"}).find("<unk>"), std::string::npos);
    EXPECT_EQ(fault(ExitCode::usage, {"--model", model, "--input", input_, "--replace-unk"}),
              "--replace-unk: there is nothing to replace where search.forbid_unk of the model's configuration keeps "
              "unknown pieces away; give --forbid-unk=false");
    run({"--model", model, "--input", input_, "--replace-unk", "--forbid-unk=false"});
}

TEST_F(TranslateCommand, OptionsForUnknownPiecesThatDoNotGoTogether) {
    EXPECT_EQ(fault(ExitCode::usage, {"--input", input_, "--replace-unk", "--forbid-unk"}),
              "--replace-unk: there is nothing to replace where --forbid-unk keeps unknown pieces away; give "
              "--forbid-unk=false");
    EXPECT_NE(fault(ExitCode::usage, {"--input", input_, "--replace-unk", "--pieces"}).find("--pieces"),
              std::string::npos);
    EXPECT_NE(fault(ExitCode::usage, {"--input", input_, "--dictionary", path("words.txt")}).find("--replace-unk"),
              std::string::npos);
    const std::string bad = file("words.txt", "dog\tHund\ncat Katze\n");
    EXPECT_NE(fault(ExitCode::data, {"--input", input_, "--replace-unk", "--dictionary", bad}).find(bad + ":2: "),
              std::string::npos);
}

TEST_F(TranslateCommand, AlignmentsNeedAttention) {
    const std::string model = path("plain");
    Config config = small_model_config();
    config.model.attention.type = AttentionType::none;
    write_model(model, config);
    EXPECT_EQ(fault(ExitCode::usage, {"--model", model, "--input", input_, "--alignments", path("a")}),
              "--alignments: " + model + " is a model without attention");
    EXPECT_FALSE(fs::exists(path("a")));
    EXPECT_EQ(fault(ExitCode::usage, {"--model", model, "--input", input_, "--replace-unk"}),
              "--replace-unk: " + model + " is a model without attention");
}

TEST_F(TranslateCommand, AModelThatIsNotThereIsAnError) {
    EXPECT_NE(fault(ExitCode::model, {"--model", path("nowhere"), "--input", input_}).find("nowhere"),
              std::string::npos);
    EXPECT_NE(fault(ExitCode::model, {"--input", input_, "--weights", path("none.safetensors")}).find("none"),
              std::string::npos);
}

TEST_F(TranslateCommand, OutputThatCannotBeWrittenIsAnErrorAtOnce) {
    EXPECT_NE(fault(ExitCode::output, {"--input", input_, "--output", path("no/out.txt")}).find("no/out.txt"),
              std::string::npos);
}

}  // namespace
}  // namespace softalign

// Words of the command line that its parser must not interpret.
#include "cli/program.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/every_option.h"
#include "cli/program_outcome.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

// The values of an option after the command line is parsed.
std::vector<std::string> values_of(const EveryOption& option, const Arguments& line) {
    CLI::App program("", "softalign");
    Action action;
    add_commands(program, action);
    std::vector<const char*> argv = {"softalign"};
    for (const std::string& argument : line) {
        argv.push_back(argument.c_str());
    }
    parse_command_line(program, action, static_cast<int>(argv.size()), argv.data());
    CLI::App* command = &program;
    for (const std::string& name : option.command) {
        command = command->get_subcommand(name);
    }
    return command->get_option(option.name)->results();
}

TEST(CommandLine, NamesAreTakenLiterallyByEveryOption) {
    int options = 0;
    for (const EveryOption& option : every_option("absent")) {
        if (!option.names_file() && option.type != "KEY=VALUE" && option.name != "--names") {
            continue;
        }
        ++options;
        for (const std::string value : {"[a]", "[a b]", "[]", "[[a]]", "{}", "{a}", "++", "%%", "'a'", "\"a\"", " a ",
                                        "a\\,b", "\x01[", "a=[b]", "\x01", "a\x01", "a,b", "[a,b]"}) {
            if (option.name == "--names" && value.find(',') != std::string::npos) {
                continue;
            }
            SCOPED_TRACE(joined(option.command) + option.name + " " + value);
            Arguments line = command_line_around(option, "absent");
            if (option.is_positional()) {
                line.insert(line.begin() + static_cast<std::ptrdiff_t>(option.command.size()), value);
                EXPECT_EQ(values_of(option, line), std::vector<std::string>{value});
                continue;
            }
            Arguments joined_by_sign = line;
            joined_by_sign.push_back(option.name + "=" + value);
            EXPECT_EQ(values_of(option, joined_by_sign), std::vector<std::string>{value});
            line.insert(line.end(), {option.name, value});
            EXPECT_EQ(values_of(option, line), std::vector<std::string>{value});
        }
    }
    EXPECT_GT(options, 40);
}

class CommandLineInFolder : public testing::Test {
protected:
    void SetUp() override { fs::current_path(folder_.path("")); }
    void TearDown() override { fs::current_path(before_); }

    TemporaryFolder folder_;
    const fs::path before_ = fs::current_path();
};

TEST_F(CommandLineInFolder, AFileInBracketsIsReadAndNotItsNamesake) {
    folder_.write("h", "a house\n");
    folder_.write("[h]", "a dog that sees the cat\n");
    folder_.write("[r]", "a dog that sees the cat\n");
    const Outcome outcome = run_here({"evaluate", "--hypotheses", "[h]", "h", "++", "--references", "[r]"});
    expect_fault(outcome, ExitCode::data, "++: cannot open the file");
    EXPECT_EQ(run_here({"evaluate", "--hypotheses", "[h]", "--references", "[r]", "--quiet"}).out, "100.0\n");
    expect_fault(run_here({"info", "[a]"}), ExitCode::usage, "unexpected argument \"[a]\"\n");
    expect_fault(run_here({"translate", "--model", "m", "--sample={}"}), ExitCode::usage,
                 "--sample: \"{}\" is neither true nor false");
}

TEST_F(CommandLineInFolder, AFlagThatIsFalseNeedsAndExcludesNothing) {
    for (const Arguments& line :
         {Arguments{"translate", "--model", "m", "--sample=false", "--beam", "3"},
          {"translate", "--model", "m", "--no-shortlist=false", "--shortlist", "s"},
          {"translate", "--model", "m", "--sample=false", "--beam=3", "--no-shortlist=false", "--shortlist=s"},
          {"score", "--model", "m", "--source", "s", "--n-best", "n", "--tokens=false"},
          {"score", "--model", "m", "--source", "s", "--target", "t", "--best=false"}}) {
        const Outcome outcome = run_here(line);
        EXPECT_GT(outcome.status, static_cast<int>(ExitCode::usage)) << outcome.err;
    }
    expect_fault(run_here({"translate", "--model", "m", "--sample=true", "--beam", "3"}), ExitCode::usage,
                 "--beam excludes --sample\n");
    expect_fault(
        run_here({"translate", "--model", "m", "--sample=false", "--beam", "3", "--no-shortlist", "--shortlist", "s"}),
        ExitCode::usage, "--shortlist excludes --no-shortlist\n");
    expect_fault(run_here({"score", "--model", "m", "--source", "s", "--target", "t", "--best"}), ExitCode::usage,
                 "--best requires --interpolate\n");
}

TEST_F(CommandLineInFolder, ABadSeedOfTheEnvironmentIsToldByTheCommandThatReadsIt) {
    folder_.write("text", "a house\n");
    const Arguments command = {"evaluate", "--hypotheses", "text", "--references", "text", "--quiet"};
    ASSERT_EQ(::setenv("SACREBLEU_SEED", "none", 1), 0);
    Arguments with_seed = command;
    with_seed.insert(with_seed.end(), {"--seed", "3"});
    const Outcome bad = run_here(command);
    const Outcome overridden = run_here(with_seed);
    const Outcome elsewhere = run_here({"vocab", "encode", "--model", "absent"});
    const Outcome help = run_here({"evaluate", "--help"});
    ::unsetenv("SACREBLEU_SEED");
    expect_fault(bad, ExitCode::usage,
                 "the environment variable SACREBLEU_SEED: expected an integer, 0 to 18446744073709551615, found the "
                 "text \"none\"\n");
    EXPECT_EQ(overridden.out, "0.0\n");
    expect_fault(elsewhere, ExitCode::model, "absent");
    EXPECT_EQ(help.status, 0);
}

TEST_F(CommandLineInFolder, TheSeedOfTheEnvironmentIsThatOfTheOption) {
    std::string references;
    std::string hypotheses;
    for (int i = 0; i < 20; ++i) {
        references += "the cat sees the dog " + std::to_string(i) + "\n";
        hypotheses += (i % 3 == 0 ? "a dog sees the cat " : "the cat sees the dog ") + std::to_string(i) + "\n";
    }
    folder_.write("h", hypotheses);
    folder_.write("r", references);
    const Arguments command = {"evaluate",     "--hypotheses",   "h", "--references", "r", "--width", "6",
                               "--confidence", "--confidence-n", "10"};
    Arguments with_seed = command;
    with_seed.insert(with_seed.end(), {"--seed", "77"});
    const std::string expected = run_here(with_seed).out;
    EXPECT_NE(run_here(command).out, expected);
    ASSERT_EQ(::setenv("SACREBLEU_SEED", "77", 1), 0);
    EXPECT_EQ(run_here(command).out, expected);
    ::unsetenv("SACREBLEU_SEED");
}

}  // namespace
}  // namespace softalign

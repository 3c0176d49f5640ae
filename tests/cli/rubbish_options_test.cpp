// Every option of every command, with values that nobody means.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "cli/every_option.h"
#include "cli/program_outcome.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> rubbish() {
    return {"",
            " ",
            "-",
            "+",
            "--",
            "-1000000000",
            "1e30",
            "1" + std::string(30, '0'),
            "18446744073709551616",
            "-9223372036854775809",
            "NaN",
            "-nan",
            "inf",
            "-inf",
            "0x10",
            "1.5.2",
            "5 ",
            "5\n",
            "\x1B[31m",
            "\x01",
            "\xFF\xFE",
            "\xC2\x9B",
            "[]",
            "[1]",
            "{}",
            "%s%n",
            "maybe",
            "１",
            "=",
            std::string(20000, '9'),
            std::string(20000, 'x')};
}

// Options that any word is a value of.
const std::set<std::string> free_text = {"--keep",      "--names",  "--feature-name", "--rendezvous",
                                         "--interface", "--locale", "--listen",       "--cors"};

class RubbishOptions : public testing::Test {
protected:
    void SetUp() override {
        fs::create_directory(folder_.path("empty"));
        fs::current_path(folder_.path("empty"));
        input_ = ::dup(STDIN_FILENO);
        const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        ::dup2(nothing, STDIN_FILENO);
        ::close(nothing);
    }
    void TearDown() override {
        EXPECT_TRUE(fs::is_empty(folder_.path("empty"))) << "a file was left";
        fs::current_path(before_);
        ::dup2(input_, STDIN_FILENO);
        ::close(input_);
    }

    // One message, which a terminal can show, of a length that a person can read.
    static void expect_message(const Outcome& outcome) {
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.err.rfind("softalign: error: ", 0), 0U) << outcome.err;
        EXPECT_EQ(outcome.err.find("softalign: error: ", 1), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.err.find("fault of softalign"), std::string::npos) << outcome.err;
        EXPECT_EQ(terminal_text(outcome.err), outcome.err);
        EXPECT_LT(outcome.err.size(), 1000U);
        EXPECT_EQ(outcome.err.back(), '\n');
    }

    void expect_refusal(const EveryOption& option, const std::string& value, const Outcome& outcome) const {
        expect_message(outcome);
        const bool may_be_right =
            !value.empty() && (option.names_file() || option.type == "KEY=VALUE" || free_text.count(option.name) > 0);
        if (may_be_right) {  // then it is a file that is not there, or another one is
            EXPECT_GE(outcome.status, static_cast<int>(ExitCode::usage)) << outcome.err;
            EXPECT_LE(outcome.status, static_cast<int>(ExitCode::output)) << outcome.err;
        } else {
            EXPECT_EQ(outcome.status, static_cast<int>(ExitCode::usage)) << outcome.err;
            EXPECT_TRUE(has(outcome.err, option.is_positional() ? "argument" : option.name)) << outcome.err;
        }
    }

    TemporaryFolder folder_;
    const fs::path before_ = fs::current_path();
    const std::string absent_ = folder_.path("absent");
    int input_ = -1;
};

TEST_F(RubbishOptions, AreToldByTheirNameAndEndWithTheStatusOfTheCommandLine) {
    const std::vector<EveryOption> options = every_option(absent_);
    ASSERT_GT(options.size(), 150U);
    bool by_turns = false;  // behind "=", or as the next argument
    for (const EveryOption& option : options) {
        const Arguments line = command_line_around(option, absent_);
        for (const std::string& value : rubbish()) {
            SCOPED_TRACE(joined(line) + option.name + " " + terminal_text(value.substr(0, 40)));
            if (option.is_positional() && value == "--") {
                continue;  // no value: the end of the options
            }
            Arguments with_value = line;
            if (option.is_positional()) {
                with_value.push_back(value);
            } else if (option.is_flag() || (by_turns = !by_turns)) {
                with_value.push_back(option.name + "=" + value);
            } else {
                with_value.insert(with_value.end(), {option.name, value});
            }
            expect_refusal(option, value, run_here(with_value));
        }
        if (!option.is_flag() && !option.is_positional() && option.name != "--shortlist") {
            SCOPED_TRACE(joined(line) + option.name);
            Arguments without = line;
            without.push_back(option.name);
            const Outcome outcome = run_here(without);
            expect_fault(outcome, ExitCode::usage, option.name + " needs a value\nsee: softalign ");
            expect_message(outcome);
        }
    }
}

// What main makes of them, by the program itself.
TEST_F(RubbishOptions, EndTheProgramInOrder) {
    const std::string see = "\nsee: softalign translate --help\n";
    const auto told = [this](const Arguments& arguments) {
        const Outcome outcome = run_alone(folder_, arguments);
        EXPECT_EQ(outcome.status, static_cast<int>(ExitCode::usage));
        fs::remove(folder_.path("stdout of the process"));
        return outcome.err;
    };
    EXPECT_EQ(told({"translate", "--model", absent_, "--forbid-unk=maybe"}),
              "softalign: error: --forbid-unk: \"maybe\" is neither true nor false" + see);
    EXPECT_EQ(told({"translate", "--model", absent_, "--sample", "--seed", "-1"}),
              "softalign: error: --seed: -1 is not allowed; expected an integer, 0 to 18446744073709551615" + see);
    EXPECT_EQ(told({"translate", "--model", absent_, "--input",
                    "\xFF\x1B"
                    "x",
                    "--top-k"}),
              "softalign: error: --top-k needs a value" + see);
}

TEST_F(RubbishOptions, NumbersAreDecimal) {
    EXPECT_TRUE(
        has(run_here({"translate", "--model", absent_, "--n-best", "010", "--beam", "9"}).err, "no model directory"));
    expect_fault(run_here({"translate", "--model", absent_, "--n-best", "0x8"}), ExitCode::usage,
                 "--n-best: expected an integer, 1 to 1024, found the text \"0x8\"");
    expect_fault(run_here({"benchmark", absent_, "--beams", "1,,5"}), ExitCode::usage,
                 "--beams: expected an integer, 1 to ");
}

TEST_F(RubbishOptions, AnOverrideTakesOneWord) {
    for (const Arguments& set : {Arguments{"--set", "training.seed=3"}, Arguments{"--set=training.seed=3"}}) {
        Arguments line = {"train"};
        line.insert(line.end(), set.begin(), set.end());
        line.insert(line.end(), {absent_, "--dry-run"});
        expect_fault(run_here(line), ExitCode::configuration, absent_ + ": ");
    }
}

TEST_F(RubbishOptions, MissingAndUnknownWordsAreNamed) {
    expect_fault(run_here({"vocab"}), ExitCode::usage,
                 "a command is missing; there is: train, encode, decode, show\nsee: softalign vocab --help");
    expect_fault(run_here({"vocab", "trian"}), ExitCode::usage,
                 "\"trian\" is not a command; did you mean \"train\"?\nsee: softalign vocab --help");
    expect_fault(run_here({"vocab", "train", "--inptu", "x"}), ExitCode::usage,
                 "unknown option \"--inptu\"; did you mean \"--input\"?\nsee: softalign vocab train --help");
    expect_fault(run_here({"translate", "--model", absent_, "--beam", "4", "--beam", "5"}), ExitCode::usage,
                 "--beam is given more than once\nsee: softalign translate --help");
}

}  // namespace
}  // namespace softalign

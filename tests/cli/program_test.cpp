#include "cli/program.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/version.h"

namespace softalign {
namespace {

struct CaughtOutcome {
    int code = 0;
    std::string out;
    std::string err;
};

CaughtOutcome run_caught(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "softalign");
    std::vector<char*> argv;
    for (std::string& argument : arguments) {
        argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    CaughtOutcome outcome;
    outcome.code = run_program(static_cast<int>(arguments.size()), argv.data());
    outcome.out = testing::internal::GetCapturedStdout();
    outcome.err = testing::internal::GetCapturedStderr();
    return outcome;
}

void expect_usage_error(const std::vector<std::string>& arguments, const std::string& message) {
    const CaughtOutcome outcome = run_caught(arguments);
    EXPECT_EQ(outcome.code, static_cast<int>(ExitCode::usage));
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "softalign: error: " + message + "\n");
}

TEST(Program, HelpOfTheProgramAndOfEveryCommand) {
    const CaughtOutcome outcome = run_caught({"--help"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    for (const std::string command :
         {"train", "translate", "evaluate", "score", "vocab", "average", "quantize", "info"}) {
        EXPECT_NE(outcome.out.find("  " + command + " "), std::string::npos) << outcome.out;
        const CaughtOutcome help = run_caught({command, "--help"});
        EXPECT_EQ(help.code, 0) << command;
        EXPECT_EQ(help.err, "") << command;
        EXPECT_NE(help.out.find("--version"), std::string::npos) << help.out;
    }
}

TEST(Program, VersionOfTheProgramAndOfEveryCommand) {
    const std::string expected = std::string("softalign ") + version() + " (" + build_type() + ", " + compiler() +
                                 ", LibTorch " + libtorch_version() + ")\n";
    EXPECT_EQ(run_caught({"--version"}).out, expected);
    EXPECT_EQ(run_caught({"--version"}).code, 0);
    for (const std::string command :
         {"train", "translate", "evaluate", "score", "vocab", "average", "quantize", "info"}) {
        EXPECT_EQ(run_caught({command, "--version"}).out, expected);
        EXPECT_EQ(run_caught({command, "--version"}).code, 0);
    }
}

TEST(Program, WithoutACommandTheHelpIsTheError) {
    const CaughtOutcome outcome = run_caught({});
    EXPECT_EQ(outcome.code, static_cast<int>(ExitCode::usage));
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("translate"), std::string::npos);
}

TEST(Program, UnknownCommandsGetASuggestion) {
    expect_usage_error({"trian", "config.yaml"},
                       "\"trian\" is not a command; did you mean \"train\"?\nsee: softalign --help");
    expect_usage_error({"xyzzyxyzzy"}, "\"xyzzyxyzzy\" is not a command\nsee: softalign --help");
    expect_usage_error({"launch", "--proceses", "2", "--", "train", "a.yaml"},
                       "unknown option \"--proceses\"; did you mean \"--processes\"?\nsee: softalign launch --help");
    expect_usage_error(
        {"launch", "--processes", "2", "train", "a.yaml", "--resume"},
        "unknown option \"--resume\"; put -- before the command: softalign launch --processes N -- train "
        "CONFIG\nsee: softalign launch --help");
    expect_usage_error({""}, "\"\" is not a command\nsee: softalign --help");
}

TEST(Program, UnknownOptionsGetASuggestion) {
    expect_usage_error({"info", "--modle", "x"},
                       "unknown option \"--modle\"; did you mean \"--model\"?\nsee: softalign info --help");
    expect_usage_error({"info", "--modle=x"},
                       "unknown option \"--modle\"; did you mean \"--model\"?\nsee: softalign info --help");
    expect_usage_error({"info", "word"}, "unexpected argument \"word\"\nsee: softalign info --help");
}

TEST(Program, ErrorsEndInOneLineAndTheirCode) {
    const CaughtOutcome outcome = run_caught({"info", "--model", "/no/such/model"});
    EXPECT_EQ(outcome.code, static_cast<int>(ExitCode::model));
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err,
              "softalign: error: no model directory /no/such/model; training writes one (checkpoints.directory in its "
              "config): check the path\n");
}

}  // namespace
}  // namespace softalign

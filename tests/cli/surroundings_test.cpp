// What surrounds the program when it starts: its descriptors, environment, folder, arguments and limits.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "base/full_pipe.h"
#include "cli/program_outcome.h"
#include "text/fixtures.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class Surroundings : public testing::Test {
protected:
    void SetUp() override {
        write_model(model_);
        expected_ = run_here(command_).out;
        ASSERT_EQ(std::count(expected_.begin(), expected_.end(), '\n'), 5);
    }

    // The translation as it should be, after `prepare`.
    void expect_translation(const std::function<void()>& prepare) const {
        const Outcome outcome = run_alone(folder_, command_, prepare);
        expect_success(outcome);
        EXPECT_EQ(outcome.out, expected_);
        EXPECT_EQ(outcome.err, "");
    }

    Arguments training() const {
        Config config = small_model_config();
        config.data.train_source = {text_};
        config.data.train_target = {text_};
        config.checkpoints.directory = folder_.path("run");
        config.training.max_updates = 2;
        config.report.html = false;
        fs::remove_all(config.checkpoints.directory);
        return {"train", folder_.write("config.yaml", to_yaml(config))};
    }

    TemporaryFolder folder_;
    const std::string model_ = folder_.path("model");
    const std::string text_ = folder_.write("text", joined(model_sentences));
    const Arguments command_ = {"translate", "--model", model_, "--input", text_, "--quiet"};
    std::string expected_;
};

void limit(decltype(RLIMIT_AS) resource, rlim_t most) {
    const struct rlimit limits { most, most };
    ::setrlimit(resource, &limits);
}

// Its kernels may round otherwise, so the translation is not compared.
TEST_F(Surroundings, AForcedCoreTypeOfTheBlasIsNoReasonToTalkWithQuiet) {
    for (const char* const type : {"Prescott", "no such type"}) {
        const Outcome outcome = run_alone(folder_, command_, [type] { ::setenv("OPENBLAS_CORETYPE", type, 1); });
        expect_success(outcome);
        EXPECT_EQ(outcome.err, "");
    }
}

TEST_F(Surroundings, StandardInputThatIsNone) {
    const Arguments command = {"translate", "--model", model_, "--quiet"};
    expect_fault(run_alone(folder_, command, [] { ::close(STDIN_FILENO); }), ExitCode::data,
                 "standard input: cannot read it: it is closed");
    expect_fault(run_alone(folder_, command, [] { ::dup2(::open("/", O_RDONLY), STDIN_FILENO); }), ExitCode::data,
                 "standard input: is a directory; give a text file");
    const Outcome empty = run_alone(folder_, command);
    expect_success(empty);
    EXPECT_EQ(empty.out, "");
}

// A file that is opened takes the lowest number that is free, and so their place, if nothing is done.
TEST_F(Surroundings, ClosedDescriptorsAreNotTakenByFiles) {
    expect_translation([] { ::close(STDIN_FILENO); });
    const Outcome outcome = run_alone(folder_, command_, [] {
        ::close(STDIN_FILENO);
        ::close(STDERR_FILENO);
    });
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out, expected_);
    const std::string out = folder_.path("out");
    Arguments command = command_;
    command.insert(command.end(), {"--output", out});
    expect_success(run_alone(folder_, command, [] { ::close(STDOUT_FILENO); }));
    EXPECT_EQ(read_bytes(out), expected_);
    EXPECT_EQ(read_bytes(text_), joined(model_sentences));
}

TEST_F(Surroundings, StandardOutputThatDoesNotBlock) {
    const std::string expected = run_alone(folder_, {"info", "--config-reference"}).out;
    ASSERT_GT(expected.size(), 20000U);
    FullPipe pipe;  // the first write has to wait
    Outcome outcome;
    std::thread runner([&] {
        outcome = run_alone(folder_, {"info", "--config-reference"}, [&] { ::dup2(pipe.to_write(), STDOUT_FILENO); });
        pipe.close_to_write();
    });
    const std::string read = pipe.read_behind(expected.size());
    runner.join();
    expect_success(outcome);
    EXPECT_EQ(read, expected);
}

TEST_F(Surroundings, InstructionsAreLimitedByTheEnvironment) {
    const auto with = [&](const Arguments& command, const char* limit) {
        return run_alone(folder_, command, [limit] { ::setenv("SOFTALIGN_INSTRUCTIONS", limit, 1); });
    };
    const Outcome info = with({"info"}, "none");
    expect_success(info);
    EXPECT_TRUE(has(info.out, "\nkernels     none\n")) << info.out;
    EXPECT_EQ(with(command_, "none").out, expected_);  // rounding differs, which changes no word of so few
    EXPECT_EQ(with(command_, "avx2").out, expected_);
    for (const char* wrong : {"AVX2", ""}) {
        expect_fault(with(command_, wrong), ExitCode::usage,
                     "the environment variable SOFTALIGN_INSTRUCTIONS is \"" + std::string(wrong) +
                         "\"; set it to amx, avx512, avx_vnni, avx2 or none, or unset it");
    }
}

TEST_F(Surroundings, NoEnvironmentAndNoFolder) {
    expect_translation([] { ::clearenv(); });
    expect_translation([] {
        ::unsetenv("HOME");
        ::setenv("LC_ALL", "no_SUCH.locale", 1);
        ::setenv("TMPDIR", "/no/such/folder", 1);
    });
    const std::string gone = folder_.path("gone");
    const auto delete_folder = [&] {
        ::mkdir(gone.c_str(), 0700);
        EXPECT_EQ(::chdir(gone.c_str()), 0);
        ::rmdir(gone.c_str());
    };
    expect_translation(delete_folder);
    expect_success(run_alone(folder_, training(), delete_folder));
    expect_fault(run_alone(folder_, {"train", "config.yaml"}, delete_folder), ExitCode::configuration,
                 "config.yaml: cannot be read: No such file or directory");
}

TEST_F(Surroundings, NamesOfFilesThatPeopleAndShellsDoNotExpect) {
    for (const std::string name : {"with space", "with \"quotes\" and 'others'", "line\nend", "-", "--output",
                                   "\xFF\xFE", "$(id) `id` ; id", "\xE2\x80\xAEright to left", "*?[a]"}) {
        SCOPED_TRACE(name);
        const std::string text = folder_.write(name, joined(model_sentences));
        const std::string out = folder_.path(name + ".out");
        const Outcome outcome = run_here({"translate", "--model", model_, "--quiet", "--input", text, "--output", out});
        expect_success(outcome);
        EXPECT_EQ(read_bytes(out), expected_);
        const std::string model = folder_.path(name + " model");
        fs::copy(model_, model);
        EXPECT_EQ(run_here({"translate", "--model", model, "--input", text_, "--quiet"}).out, expected_);
    }
}

TEST_F(Surroundings, ArgumentsThatAreNoText) {
    expect_fault(run_here({"translate", "--model", "\xFF\xFE"}), ExitCode::model, "no model directory \\xFF\\xFE");
    expect_fault(run_here({"\xFF\xFE"}), ExitCode::usage, " is not a command\nsee: softalign --help");
    const std::string longest(100000, 'x');
    expect_fault(run_here({"translate", "--model", longest}), ExitCode::model, "no model directory x");
    expect_fault(run_here({"translate", "--model", model_, "--input", longest}), ExitCode::data,
                 ": cannot open the file: File name too long");
    expect_fault(run_here({"translate", "--model", model_, "--input", text_, "--output", longest}), ExitCode::output,
                 ": cannot create the file: File name too long; choose a shorter name");
    expect_fault(run_here({"train", longest}), ExitCode::configuration, ": cannot be read: File name too long");
    expect_fault(run_here({"train", training().back(), "--set", "training.seed=" + longest}), ExitCode::configuration,
                 "training.seed: expected an integer");
    // What a terminal would obey is spelled out.
    const Outcome escapes = run_here({"translate", "--model",
                                      "\x1B]0;title\a\xC2\x9B"
                                      "31m"});
    expect_fault(escapes, ExitCode::model, "no model directory \\x1B]0;title\\x07\\x9B31m;");
}

TEST_F(Surroundings, TooFewOpenFiles) {
#if defined(SOFTALIGN_SANITIZED)
    GTEST_SKIP() << "UndefinedBehaviorSanitizer looks at objects through a pipe";
#endif
    for (const rlim_t most : {4, 5, 6, 8}) {
        SCOPED_TRACE(most);
        Arguments command = command_;
        command.insert(command.end(), {"--output", folder_.path("out"), "--scores", folder_.path("scores")});
        const Outcome outcome = run_alone(folder_, command, [&] { limit(RLIMIT_NOFILE, most); });
        // With very few it is the system's loader that ends the program, before its first line.
        EXPECT_TRUE(outcome.status == 0 || has(outcome.err, "Too many open files") ||
                    has(outcome.err, "while loading shared libraries"))
            << outcome.err;
        EXPECT_GE(outcome.status, 0);
        EXPECT_FALSE(has(outcome.err, "fault of softalign")) << outcome.err;
    }
}

TEST_F(Surroundings, TooLittleMemory) {
#if defined(SOFTALIGN_SANITIZED)
    GTEST_SKIP() << "sanitizers need more addresses than a limit leaves";
#endif
    constexpr rlim_t gibibyte = rlim_t{1} << 30;
    Arguments large = training();
    large.insert(large.end(), {"--set", "model.encoder.hidden_size=30000"});
    const Outcome outcome = run_alone(folder_, large, [] { limit(RLIMIT_AS, 4 * gibibyte); });
    expect_fault(outcome, ExitCode::internal, "out of memory");
    expect_fault(outcome, ExitCode::internal, "or a smaller model");
    Arguments threads = command_;
    threads.insert(threads.end(), {"--workers", "1024"});
    expect_fault(
        run_alone(folder_, threads, [] { limit(RLIMIT_AS, 8 * gibibyte); }), ExitCode::internal,
        "Resource temporarily unavailable\nthe system refused this; see the limits that it sets with: ulimit -a");
    expect_fault(run_alone(folder_, threads, [] { limit(RLIMIT_AS, 2 * gibibyte); }), ExitCode::internal,
                 "out of memory");
}

TEST_F(Surroundings, ARunThatWasMoved) {
    expect_success(run_here(training()));
    const std::string moved = folder_.path("moved");
    fs::rename(folder_.path("run"), moved);
    Arguments resume = {"train", moved + "/config.yaml", "--resume", "--set", "training.max_updates=3"};
    expect_fault(run_here(resume), ExitCode::configuration, "add --set checkpoints.directory=" + moved);
    EXPECT_FALSE(fs::exists(folder_.path("run")));
    resume.insert(resume.end(), {"--set", "checkpoints.directory=" + moved});
    expect_success(run_here(resume));
    EXPECT_FALSE(fs::exists(folder_.path("run")));
}

TEST_F(Surroundings, AConfigurationWhereTrainingWritesItsOwn) {
    const std::string config = folder_.write("config.yaml", read_bytes(training()[1]) + "# mine\n");
    const std::string before = read_bytes(config);
    expect_fault(run_here({"train", config, "--set", "checkpoints.directory=" + folder_.path("")}),
                 ExitCode::configuration, "training would write its resolved configuration over this file");
    EXPECT_EQ(read_bytes(config), before);
}

TEST_F(Surroundings, AFolderThatIsReadOnly) {
    const std::string folder = folder_.path("closed");
    fs::create_directory(folder);
    fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
    if (::access(folder.c_str(), W_OK) == 0) {
        GTEST_SKIP() << "this user may write everywhere (root)";
    }
    Arguments command = command_;
    command.insert(command.end(), {"--output", folder + "/out"});
    expect_fault(run_here(command), ExitCode::output,
                 "Permission denied; choose a directory that you may write to, or change its permissions");
    Arguments train = training();
    train.insert(train.end(), {"--set", "checkpoints.directory=" + folder + "/run"});
    expect_fault(run_here(train), ExitCode::output, "set checkpoints.directory to a place you can write to");
}

}  // namespace
}  // namespace softalign

// `softalign report`, the report at the end of training, and `translate --report`.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/fixtures.h"
#include "cli/program.h"
#include "cli/run_command.h"
#include "storage/temporary_directory.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class ReportCommand : public InTemporaryDirectory {
protected:
    void SetUp() override {
        InTemporaryDirectory::SetUp();
        level_ = spdlog::get_level();
        spdlog::set_level(spdlog::level::off);
        std::ofstream(path("source")) << "the cat sees the dog\na small house\nthe dog is small\n";
        std::ofstream(path("target")) << "the dog\na house\nthe dog\n";
    }
    void TearDown() override {
        spdlog::set_level(level_);
        InTemporaryDirectory::TearDown();
    }

    std::string refusal(void (*add_command)(CLI::App&, Action&), const Arguments& arguments, ExitCode code) {
        try {
            output_of(add_command, arguments);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), code);
            return error.what();
        }
        ADD_FAILURE() << "no refusal";
        return "";
    }

    void train(const Arguments& more) {
        std::ofstream(path("config.yaml"))
            << "data: {train_source: source, train_target: target, valid_source: source, valid_target: target}\n"
               "vocabulary: {type: word, size: 16}\n"
               "model: {embedding_size: 8, encoder: {hidden_size: 4}, decoder: {hidden_size: 8}, attention: {size: "
               "8}}\n"
               "training: {batch_size: 2, max_updates: 4}\n"
               "validation: {every: 2, unit: updates}\n"
               "runtime: {workers: 1, log_every: 1, log_level: error}\n";
        Arguments arguments = {"train", path("config.yaml"), "--set", "checkpoints.directory=" + path("run")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        output_of(&add_train_command, arguments);
    }

    std::size_t event_files() {
        std::size_t count = 0;
        for (const auto& entry : fs::directory_iterator(path("run"))) {
            count += entry.path().filename().string().rfind("events.out.tfevents.", 0) == 0 ? 1 : 0;
        }
        return count;
    }

private:
    spdlog::level::level_enum level_ = spdlog::level::info;
};

TEST_F(ReportCommand, TrainingWritesOneThatTheCommandCanWriteAgain) {
    train({});
    const std::string page = read_bytes(path("run/report.html"));
    for (const char* part : {"summary", "training", "lengths", "sentences", "vocabulary", "configuration"}) {
        EXPECT_TRUE(has(page, "<section id=\"" + std::string(part) + "\"")) << part;
    }
    EXPECT_EQ(event_files(), 0U);
    fs::remove(path("run/report.html"));
    EXPECT_EQ(output_of(&add_report_command, {"report", path("run")}), "");  // stdout is data
    EXPECT_EQ(read_bytes(path("run/report.html")), page);
    output_of(&add_report_command, {"report", path("run"), path("run"), "--output", path("both.html")});
    EXPECT_TRUE(has(read_bytes(path("both.html")), "2 runs compared"));
}

TEST_F(ReportCommand, TrainingCanDoWithout) {
    train({"--set", "report.html=false"});
    EXPECT_FALSE(fs::exists(path("run/report.html")));
}

TEST_F(ReportCommand, TrainingGoesWellWhereTheReportCannotBeWritten) {
    fs::create_directories(path("run/report.html"));
    train({});  // output_of expects the exit code 0
    EXPECT_TRUE(fs::is_directory(path("run/report.html")));
    EXPECT_TRUE(fs::exists(path("run/model.safetensors")));
}

TEST_F(ReportCommand, TrainingReplacesALink) {
    const std::string mine = "not a report\n";
    std::ofstream(path("mine.txt")) << mine;
    fs::create_directories(path("run"));
    fs::create_symlink(path("mine.txt"), path("run/report.html"));
    train({});
    EXPECT_EQ(read_bytes(path("mine.txt")), mine);
    EXPECT_TRUE(has(read_bytes(path("run/report.html")), "<section id=\"summary\""));
}

TEST_F(ReportCommand, EventFilesOnRequestAndAnotherOnResume) {
    train({"--set", "report.tensorboard=true"});
    EXPECT_EQ(event_files(), 1U);
    train({"--set", "report.tensorboard=true", "--set", "training.max_updates=6", "--resume"});
    EXPECT_EQ(event_files(), 2U);
}

TEST_F(ReportCommand, Refusals) {
    try {
        output_of(&add_report_command, {"report"});
        FAIL() << "no run is needed";
    } catch (const CLI::RequiredError& error) {
        EXPECT_STREQ(error.what(), "RUN_DIR is required");
    }
    write_model(path("model"));
    EXPECT_TRUE(
        has(refusal(&add_report_command, {"report", path("model"), path("model")}, ExitCode::usage), "--output"));
    EXPECT_TRUE(has(refusal(&add_report_command, {"report", path("none")}, ExitCode::model), "no such directory"));
    EXPECT_TRUE(
        has(refusal(&add_report_command, {"report", path("model"), "--output", path("no/way.html")}, ExitCode::output),
            "no/way.html"));
    EXPECT_TRUE(
        has(refusal(&add_translate_command, {"translate", "--model", path("model"), "--report", "-"}, ExitCode::usage),
            "the report is a page to open; give it a file"));
}

TEST_F(ReportCommand, TranslateShowsItsSentences) {
    write_model(path("model"));
    const Arguments translate = {"translate", "--model", path("model"), "--input", path("source"), "--quiet"};
    const std::string plain = output_of(&add_translate_command, translate);
    Arguments with_report = translate;
    with_report.insert(with_report.end(), {"--report", path("page.html"), "--report-references", path("target")});
    EXPECT_EQ(output_of(&add_translate_command, with_report), plain);
    const std::string page = read_bytes(path("page.html"));
    EXPECT_TRUE(has(page, "the cat sees the dog"));
    EXPECT_TRUE(has(page, "<h3>Worst</h3>"));
    EXPECT_TRUE(has(page, "class=\"heat\""));
    EXPECT_FALSE(has(page, "<section id=\"training\""));
}

TEST_F(ReportCommand, TranslateSaysThatTheInputIsEmpty) {
    write_model(path("model"));
    std::ofstream(path("empty")).close();
    for (const char* references : {"", "empty"}) {
        Arguments translate = {"translate",   "--model", path("model"), "--input",
                               path("empty"), "--quiet", "--report",    path("page.html")};
        if (*references != '\0') {
            translate.insert(translate.end(), {"--report-references", path(references)});
        }
        EXPECT_EQ(output_of(&add_translate_command, translate), "");
        EXPECT_TRUE(has(read_bytes(path("page.html")), path("empty") + " has no sentences")) << references;
    }
}

TEST_F(ReportCommand, ReferencesOfAnotherLengthAreRefusedAndLeaveNoPage) {
    write_model(path("model"));
    std::ofstream(path("short")) << "one line\n";
    const std::string message =
        refusal(&add_translate_command,
                {"translate", "--model", path("model"), "--input", path("source"), "--quiet", "--output", path("out"),
                 "--report", path("page.html"), "--report-references", path("short")},
                ExitCode::data);
    EXPECT_TRUE(has(message, "has 1 line"));
    EXPECT_FALSE(fs::exists(path("page.html")));
    EXPECT_FALSE(fs::exists(path("out")));
}

// Before anything is read of the model, which is not there.
TEST_F(ReportCommand, ReferencesOfAnotherLengthAreNoticedBeforeTranslating) {
    const std::size_t lines = lines_of(read_bytes(path("source"))).size();
    for (const std::size_t references : {lines - 1, lines + 1}) {
        std::ofstream(path("references")) << joined(Arguments(references, "a"));
        EXPECT_TRUE(has(
            refusal(&add_translate_command,
                    {"translate", "--model", path("none"), "--input", path("source"), "--report", path("page.html"),
                     "--report-references", path("references")},
                    ExitCode::data),
            "has " + std::to_string(references) + " lines, " + path("source") + " has " + std::to_string(lines) + ";"));
    }
}

}  // namespace
}  // namespace softalign

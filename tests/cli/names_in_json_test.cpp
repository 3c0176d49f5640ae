// Names of files may hold any bytes; JSON may not.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/strings.h"
#include "cli/program_outcome.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class NamesInJson : public testing::Test {
protected:
    void SetUp() override { write_model(model_); }

    // What a command prints: JSON in which the name stands, with U+FFFD for the bytes that are not UTF-8.
    static void expect_json(const Arguments& command) {
        SCOPED_TRACE(command.front());
        const Outcome outcome = run_here(command);
        expect_success(outcome);
        EXPECT_EQ(first_invalid_utf8(outcome.out), 0U);
        EXPECT_TRUE(has(nlohmann::json::parse(outcome.out).dump(), "M\xEF\xBF\xBDller")) << outcome.out;
    }

    TemporaryFolder folder_;
    const std::string model_ = folder_.path("M\xFCller");
    const std::string text_ = folder_.write("text of M\xFCller", joined(model_sentences));
};

TEST_F(NamesInJson, ThatAreNotUtf8AreShownAsFarAsTheyCanBe) {
    expect_json({"info", "--model", model_, "--format", "json"});
    expect_json({"evaluate", "--hypotheses", text_, text_, "--references", text_, "--format", "json"});
    expect_json({"evaluate", "--hypotheses", text_, text_, "--references", text_, "--format", "json", "--by", "length",
                 "--changes", "1"});
}

TEST_F(NamesInJson, AreShownInReports) {
    Config config = small_model_config();
    const std::string text = folder_.write("text", joined(model_sentences));
    config.data.train_source = {text};
    config.data.train_target = {text};
    config.data.valid_source = text;
    config.data.valid_target = text;
    config.vocabulary.size = 12;
    config.checkpoints.directory = folder_.path("run");
    config.training.max_updates = 2;
    config.report.html = false;
    expect_success(run_here({"train", folder_.write("run.yaml", to_yaml(config))}));
    const std::string run = folder_.path("run of M\xFCller");
    fs::rename(folder_.path("run"), run);
    expect_success(run_here({"report", run, "--source", text_}));
    const std::string page = read_bytes(run + "/report.html");
    EXPECT_EQ(first_invalid_utf8(page), 0U);
    EXPECT_TRUE(has(page, "run of M\xEF\xBF\xBDller"));
    const std::string mean = folder_.path("\xFF.safetensors");
    expect_success(run_here({"average", run + "/model.safetensors", "--output", mean}));
    expect_success(run_here({"average", mean, "--output", folder_.path("again.safetensors")}));
}

}  // namespace
}  // namespace softalign

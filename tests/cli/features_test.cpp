// Models of features at the command line.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/has.h"
#include "cli/program_outcome.h"
#include "data/npy_files.h"

namespace softalign {
namespace {

using namespace std::string_literals;

class FeatureProgram : public testing::Test {
protected:
    void SetUp() override {
        write_model(model_, small_feature_config());
        write_npy(npy_, {3, 2, 3, 1}, picture_values(18));
        write_npy(folder_.path("0.npy"), {2, 3, 1}, picture_values(6));
        write_npy(folder_.path("s.npy"), {4, 1}, picture_values(4));
        folder_.write("list", "0.npy\ns.npy\n" + npy_ + "[2]\n");
        folder_.write("target", "the cat\na dog\nthe house\n");
    }

    static std::vector<std::uint8_t> picture_values(std::size_t count) {
        std::vector<std::uint8_t> values(count);
        for (std::size_t i = 0; i < count; ++i) {
            values[i] = static_cast<std::uint8_t>(31 * i);
        }
        return values;
    }

    Outcome translate(const std::string& input, const Arguments& more = {}) const {
        Arguments arguments{"translate", "--model", model_, "--quiet", "--input", input};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_here(arguments);
    }

    void expect_refused(const Outcome& outcome, ExitCode code, const std::string& message) const {
        EXPECT_EQ(outcome.status, static_cast<int>(code)) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_TRUE(has(outcome.err, message)) << outcome.err;
    }

    TemporaryFolder folder_;
    const std::string model_ = folder_.path("model");
    const std::string npy_ = folder_.path("n.npy");
};

TEST_F(FeatureProgram, TranslatesAFileOfArraysAndAList) {
    const Outcome whole = translate(npy_);
    EXPECT_EQ(whole.status, 0) << whole.err;
    EXPECT_EQ(lines_of(whole.out).size(), 3U);
    const Outcome listed = translate(folder_.path("list"));
    EXPECT_EQ(listed.status, 0) << listed.err;
    ASSERT_EQ(lines_of(listed.out).size(), 3U);
    EXPECT_EQ(lines_of(listed.out)[0], lines_of(whole.out)[0]);
    EXPECT_EQ(lines_of(listed.out)[2], lines_of(whole.out)[2]);
    folder_.write("blank", "0.npy\n\n");
    EXPECT_EQ(translate(folder_.path("blank")).out, lines_of(whole.out)[0] + "\n\n");
    EXPECT_EQ(translate(npy_, {"--model", model_}).out, whole.out);  // an ensemble
}

TEST_F(FeatureProgram, AlignmentsAreOverTheGrid) {
    const Outcome outcome = translate(npy_, {"--json", "-", "--json-attention"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto json = nlohmann::json::parse(lines_of(outcome.out).front());
    EXPECT_EQ(json["source"], npy_ + "[0]");
    EXPECT_EQ(json["grid"], nlohmann::json({2, 3}));
    EXPECT_FALSE(json.contains("source_pieces"));
    const auto& translation = json["translations"][0];
    const std::size_t pieces = translation["pieces"].size();
    ASSERT_EQ(translation["attention"].size(), pieces);
    for (const auto& row : translation["attention"]) {
        EXPECT_EQ(row.size(), 6U);
    }
    EXPECT_EQ(translation["alignment"].size(),
              pieces - 1);  // each piece has its position: there is no end of the source
    const Outcome soft = translate(npy_, {"--output", "/dev/null", "--alignments", "-", "--alignment-format", "soft",
                                          "--alignment-units", "words"});
    ASSERT_EQ(soft.status, 0) << soft.err;
    const auto line = nlohmann::json::parse(lines_of(soft.out).front());
    EXPECT_EQ(line["grid"], nlohmann::json({2, 3}));
    EXPECT_EQ(line["weights"].size(), line["target"].size());
    EXPECT_EQ(line["weights"][0].size(), 6U);
    const Outcome pairs = translate(npy_, {"--output", "/dev/null", "--alignments", "-"});
    std::string expected;
    for (const auto& pair : translation["alignment"]) {
        expected += (expected.empty() ? "" : " ") + std::to_string(pair[0].get<int>()) + "-" +
                    std::to_string(pair[1].get<int>());
    }
    EXPECT_EQ(lines_of(pairs.out).front(), expected);
}

TEST_F(FeatureProgram, TheReportLaysTheWeightsOverThePicture) {
    const std::string page = folder_.path("page.html");
    const Outcome outcome = translate(npy_, {"--report", page});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    std::ifstream file(page);
    const std::string html((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    EXPECT_TRUE(has(html, "<svg viewBox=\"0 0 3 2\""));
    EXPECT_TRUE(has(html, "<use href=\"#picture-"));
    EXPECT_TRUE(has(html, "a map of where the model looked"));
}

TEST_F(FeatureProgram, ScoresAndEvaluates) {
    const std::string target = folder_.path("target");
    const Outcome whole = run_here({"score", "--model", model_, "--source", npy_, "--target", target, "--quiet"});
    ASSERT_EQ(whole.status, 0) << whole.err;
    const Outcome listed =
        run_here({"score", "--model", model_, "--source", folder_.path("list"), "--target", target, "--quiet"});
    EXPECT_NEAR(std::stod(lines_of(listed.out).front()), std::stod(lines_of(whole.out).front()), 1e-4);
    EXPECT_NE(lines_of(listed.out)[1], lines_of(whole.out)[1]);
    folder_.write("best", lines_of(translate(npy_, {"--n-best", "2"}).out)[0] + "\n");
    const Outcome rescored =
        run_here({"score", "--model", model_, "--source", npy_, "--n-best", folder_.path("best"), "--quiet"});
    EXPECT_EQ(rescored.status, 0) << rescored.err;
    const Outcome evaluated = run_here({"evaluate", "--model", model_, "--source", npy_, "--references", target});
    EXPECT_EQ(evaluated.status, 0) << evaluated.err;
    EXPECT_TRUE(has(evaluated.out, "BLEU"));
}

TEST_F(FeatureProgram, InfoTellsTheSizeOfTheFeatures) {
    const Outcome outcome = run_here({"info", "--model", model_, "--format", "json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["model"]["features"], 1);
    EXPECT_EQ(run_here({"info", "--model", model_}).status, 0);
}

TEST_F(FeatureProgram, RefusesOptionsForText) {
    expect_refused(translate(npy_, {"--replace-unk"}), ExitCode::usage, "--replace-unk is for models that read text");
    expect_refused(translate(npy_, {"--shortlist"}), ExitCode::usage, "--shortlist is for models that read text");
    expect_refused(translate(npy_, {"--max-source-length", "5"}), ExitCode::usage, "--max-source-length is for models");
    expect_refused(run_here({"shortlist", "--model", model_, "--source", npy_, "--target", folder_.path("target")}),
                   ExitCode::model, "the model reads features");
    expect_refused(run_here({"evaluate", "--model", model_, "--source", npy_, "--references", folder_.path("target"),
                             "--shortlist"}),
                   ExitCode::usage, "--shortlist is for models that read text");
}

TEST_F(FeatureProgram, ModelsOfAnEnsembleReadTheSame) {
    write_model(folder_.path("deep"), small_feature_config(2));
    expect_refused(translate(npy_, {"--model", folder_.path("deep")}), ExitCode::model,
                   "reads features with 1 values at each position");
    const std::string text = folder_.path("text");
    write_model(text);
    std::filesystem::copy(target_vocabulary_path(model_), joint_vocabulary_path(text),
                          std::filesystem::copy_options::overwrite_existing);
    expect_refused(translate(npy_, {"--model", text}), ExitCode::model, "text");
}

TEST_F(FeatureProgram, AModelDirectoryHasTheTargetVocabularyAlone) {
    std::filesystem::copy(target_vocabulary_path(model_), joint_vocabulary_path(model_));
    expect_refused(translate(npy_), ExitCode::model, "has joint.spm, and a model of features");
    std::filesystem::remove(joint_vocabulary_path(model_));
    std::filesystem::remove(target_vocabulary_path(model_));
    expect_refused(translate(npy_), ExitCode::model, "has no target.spm");
    write_model(model_, small_feature_config());
    Config config = load_model_config(model_);
    config.model.source.size = 0;
    std::ofstream(config_path(model_)) << to_yaml(config);
    expect_refused(translate(npy_), ExitCode::model, "model.source.size is 0");
}

// Arrays as people come by them, in every command that reads some.
TEST_F(FeatureProgram, RefusesBadArrays) {
    struct Bad {
        std::string bytes;
        std::string says;
    };
    const std::vector<std::uint8_t> zeros(64);
    const float nan[] = {0.0F, std::numeric_limits<float>::quiet_NaN()};
    const double doubles[] = {1.0, 2.0};
    const std::vector<Bad> bad = {
        {"", ""},
        {"\x93NUMPY", ""},
        {"no array", ""},
        {npy_bytes("<f8", {2, 1, 1}, doubles, sizeof doubles), "f8"},
        {npy_bytes("|O", {2, 1, 1}, zeros.data(), 16), "O"},
        {npy_bytes("<f4", {2, 1, 1}, nan, sizeof nan), "[1, 0, 0]"},
        {npy_bytes("|u1", {2, 3, 1}, zeros.data(), 5), ""},
        {npy_bytes("|u1", {2, 3, 1}, zeros.data(), 7), ""},
        {npy_bytes("|u1", {6}, zeros.data(), 6), "(6,)"},
        {npy_bytes("|u1", {1, 2, 3, 1, 1}, zeros.data(), 6), "(1, 2, 3, 1, 1)"},
        {npy_bytes("|u1", {1, 2, 3}, zeros.data(), 6), "numbers"},
        {npy_file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 1), }", std::string(6, '\0')), "ortran"},
        {npy_file(npy_dictionary("|u1", "(4294967296, 4294967296, 1)"), "x"), ""},
        {"\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF"s, ""},
    };
    const std::string target = folder_.write("one", "the cat\n");
    for (std::size_t i = 0; i < bad.size(); ++i) {
        SCOPED_TRACE(i);
        const std::string name = "bad " + std::to_string(i) + ".npy";
        folder_.write(name, bad[i].bytes);
        const std::string list = folder_.write("bad list", name + "\n");
        Config config = small_model_config();
        config.data.source_type = SourceType::features;
        config.data.train_source = {list};
        config.data.train_target = {target};
        config.model.source.size = 1;
        config.training.max_updates = 1;
        config.checkpoints.directory = folder_.path("run");
        for (const Arguments& arguments : {
                 Arguments{"translate", "--model", model_, "--quiet", "--input", list},
                 Arguments{"score", "--model", model_, "--quiet", "--source", list, "--target", target},
                 Arguments{"evaluate", "--model", model_, "--source", list, "--references", target},
                 Arguments{"train", folder_.write("bad.yaml", to_yaml(config))},
             }) {
            const Outcome outcome = run_here(arguments);
            expect_refused(outcome, ExitCode::data, name);
            EXPECT_TRUE(has(outcome.err, bad[i].says)) << arguments.front() << ": " << outcome.err;
            EXPECT_FALSE(has(outcome.err, "report")) << outcome.err;  // no fault of the program
        }
        EXPECT_FALSE(std::filesystem::exists(folder_.path("run"))) << "a start that fails leaves nothing";
    }
    expect_refused(translate(folder_.path("absent.npy")), ExitCode::data, "absent.npy");
    ASSERT_EQ(::mkfifo(folder_.path("pipe.npy").c_str(), 0600), 0);
    expect_refused(translate(folder_.path("pipe.npy")), ExitCode::data, "pipe.npy");
    std::filesystem::create_directory(folder_.path("folder.npy"));
    expect_refused(translate(folder_.path("folder.npy")), ExitCode::data, "folder.npy");
}

}  // namespace
}  // namespace softalign

// Every attention in every order of the decoder that makes sense with it, and every kind of encoder with every kind of
// decoder, from the command line: trains, resumes to the same bytes, translates and scores.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.h"
#include "storage/temporary_directory.h"

namespace softalign {
namespace {

using Arguments = std::vector<std::string>;

struct Member {
    std::string name;
    Arguments keys;  // of `model`, as --set takes them
};

// The keys of each attention; the first word names it.
const std::vector<Member>& attentions() {
    static const std::vector<Member> all = {
        {"additive", {"attention.type=additive"}},
        {"coverage_sum", {"attention.type=additive", "attention.coverage=sum"}},
        {"coverage_fertility", {"attention.type=additive", "attention.coverage=fertility"}},
        {"dot", {"attention.type=dot"}},
        {"general", {"attention.type=general"}},
        {"concat", {"attention.type=concat"}},
        {"location", {"attention.type=location", "attention.positions=4"}},
        {"local_m", {"attention.type=local_m", "attention.window=1", "attention.score=dot"}},
        {"local_p", {"attention.type=local_p", "attention.window=2", "attention.score=general"}},
        {"scaled_dot", {"attention.type=scaled_dot"}},
        {"multi_head", {"attention.type=multi_head", "attention.heads=4"}},
        {"multi_query", {"attention.type=multi_query", "attention.heads=4"}},
        {"grouped_query", {"attention.type=grouped_query", "attention.heads=4", "attention.groups=2"}},
        {"none", {"attention.type=none"}},
    };
    return all;
}

const std::vector<Member>& orders() {
    static const std::vector<Member> all = {
        {"before", {"decoder.attend=before"}},
        {"printed",
         {"decoder.attend=before", "decoder.readout_state=previous", "decoder.readout=maxout",
          "decoder.first_word=zero", "decoder.initial_state=first_backward", "encoder.cell=gru_cho",
          "decoder.cell=gru_cho"}},
        {"look_generate_update", {"decoder.attend=look_generate_update", "decoder.readout=maxout"}},
        {"between", {"decoder.attend=between", "layer_norm=true", "decoder.transition_depth=2"}},
        {"after", {"decoder.attend=after", "decoder.input_feeding=false", "encoder.self_attention.layers=1"}},
        {"after_feeding",
         {"decoder.attend=after", "encoder.bidirectional=false", "encoder.hidden_size=8", "encoder.cell=lstm",
          "decoder.cell=lstm", "decoder.initial_state=copy", "encoder.reverse_source=true"}},
    };
    return all;
}

const std::vector<Member>& kinds() {
    static const Arguments small = {
        "embedding_size=8",  "encoder.hidden_size=8", "transformer.heads=2",      "transformer.feed_forward_size=12",
        "positions.size=4",  "dropout.attention=0.1", "dropout.feed_forward=0.1", "dropout.residual=0.1",
        "dropout.layers=0.1"};
    static const std::vector<Member> all = [] {
        std::vector<Member> members = {
            {"transformer", {"encoder.type=transformer", "decoder.type=transformer", "encoder.layers=2"}},
            {"transformer_post_learned_tied",
             {"encoder.type=transformer", "decoder.type=transformer", "decoder.layers=2", "tied_embeddings=all",
              "positions.type=learned", "transformer.norm=post", "transformer.activation=gelu",
              "transformer.alignment_layer=1"}},
            {"transformer_grouped_right_to_left",
             {"encoder.type=transformer", "decoder.type=transformer", "transformer.groups=1",
              "transformer.activation=swiglu", "decoder.reverse_target=true", "decoder.first_word=zero"}},
            {"transformer_gru", {"encoder.type=transformer", "encoder.layers=2"}},
            {"convolutional_gru", {"encoder.type=convolutional", "encoder.layers=2"}},
            {"gru_transformer", {"decoder.type=transformer"}},
            {"convolutional_transformer",
             {"encoder.type=convolutional", "encoder.kernel_size=5", "encoder.layers=2", "decoder.type=transformer",
              "positions.type=learned"}},
        };
        for (Member& member : members) {
            member.keys.insert(member.keys.end(), small.begin(), small.end());
        }
        return members;
    }();
    return all;
}

std::vector<Member> combinations() {
    std::vector<Member> all;
    for (const Member& order : orders()) {
        for (const Member& attention : attentions()) {
            if (attention.name == "none" && order.name != "before" && order.name != "look_generate_update") {
                continue;  // refused by the configuration
            }
            Member both{order.name + "_" + attention.name, order.keys};
            both.keys.insert(both.keys.end(), attention.keys.begin(), attention.keys.end());
            all.push_back(both);
        }
    }
    all.push_back({"never_none", {"decoder.attend=never", "decoder.readout=none", "attention.type=none"}});
    all.push_back({"right_to_left_additive", {"decoder.reverse_target=true", "attention.type=additive"}});
    all.push_back({"right_to_left_after_local_m",
                   {"decoder.reverse_target=true", "decoder.attend=after", "encoder.reverse_source=true",
                    "attention.type=local_m", "attention.score=general"}});
    all.push_back({"right_to_left_none", {"decoder.reverse_target=true", "attention.type=none"}});
    all.insert(all.end(), kinds().begin(), kinds().end());
    return all;
}

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

class FamilyTest : public InTemporaryDirectory, public testing::WithParamInterface<Member> {
protected:
    void SetUp() override {
        InTemporaryDirectory::SetUp();
        previous_level_ = spdlog::get_level();
        spdlog::set_level(spdlog::level::off);
        std::ofstream(path("source")) << "one two three\nfour five\nsix one two\nthree\ntwo four six one\nfive\n";
        std::ofstream(path("target")) << "eins zwei drei\nvier\nsechs eins\ndrei\nzwei vier sechs\nfuenf fuenf\n";
        std::ofstream(path("config.yaml"))
            << "data: {train_source: source, train_target: target, valid_source: source, valid_target: target}\n"
               "vocabulary: {type: word, size: 18}\n"
               "model: {embedding_size: 8, encoder: {hidden_size: 4, self_attention: {heads: 2}},"
               " decoder: {hidden_size: 8}, attention: {size: 8}, dropout: {output: 0.2}}\n"
               "training: {batch_size: 2, optimizer: {learning_rate: 0.02}}\n"
               "validation: {every: 10, unit: updates, metric: cross_entropy, translate: false}\n"
               "runtime: {workers: 2, log_level: error}\n";
    }
    void TearDown() override {
        spdlog::set_level(previous_level_);
        InTemporaryDirectory::TearDown();
    }

    void run(Arguments arguments) {
        CLI::App program;
        Action action;
        add_train_command(program, action);
        add_translate_command(program, action);
        add_score_command(program, action);
        add_report_command(program, action);
        std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes a vector
        program.parse(arguments);
        ASSERT_EQ(action(), 0);
    }

    void train(const std::string& model, const std::string& updates, bool resume, const Arguments& more = {}) {
        Arguments arguments = {"train", path("config.yaml"), "--device", "cpu"};
        if (resume) {
            arguments.emplace_back("--resume");
        }
        for (const std::string& key : GetParam().keys) {
            arguments.insert(arguments.end(), {"--set", "model." + key});
        }
        arguments.insert(arguments.end(), {"--set", "checkpoints.directory=" + path(model)});
        arguments.insert(arguments.end(), {"--set", "training.max_updates=" + updates, "--set", "report.html=false"});
        arguments.insert(arguments.end(), more.begin(), more.end());
        run(arguments);
    }

    std::vector<double> first_column(const std::string& file, char separator, std::size_t column) const {
        std::vector<double> values;
        std::istringstream lines(content(path(file)));
        for (std::string line; std::getline(lines, line);) {
            std::istringstream cells(line);
            std::string cell;
            for (std::size_t i = 0; i <= column; ++i) {
                std::getline(cells, cell, separator);
            }
            values.push_back(std::stod(cell));
        }
        return values;
    }

private:
    spdlog::level::level_enum previous_level_ = spdlog::level::info;
};

TEST_P(FamilyTest, TrainsResumesTranslatesAndScores) {
    train("whole", "60", false);
    train("parts", "30", false);
    train("parts", "60", true);
    const std::string weights = content(path("whole/model.safetensors"));
    ASSERT_FALSE(weights.empty());
    EXPECT_TRUE(weights == content(path("parts/model.safetensors")));

    Arguments translate = {"translate",    "--model",      path("whole"), "--device",    "cpu",
                           "--input",      path("source"), "--output",    path("out"),   "--scores",
                           path("scores"), "--beam",       "2",           "--forbid-unk"};
    const bool has_weights = GetParam().keys.back() != "attention.type=none";
    if (has_weights) {
        translate.insert(translate.end(), {"--alignments", path("alignments")});
    }
    run(translate);
    run({"translate", "--model", path("whole"), "--device", "cpu", "--input", path("source"), "--output",
         path("pieces"), "--pieces", "--beam", "2", "--forbid-unk"});
    run({"score", "--model", path("whole"), "--device", "cpu", "--source", path("source"), "--target", path("out"),
         "--output", path("forced")});
    // Forcing the decoder along its own translation gives the log-probability that the search had. A special piece in
    // it, which a model so little trained may write, is not in the text.
    const std::vector<double> searched = first_column("scores", '\t', 1);
    const std::vector<double> forced = first_column("forced", '\t', 0);
    ASSERT_EQ(searched.size(), 6U);
    ASSERT_EQ(forced.size(), 6U);
    int compared = 0;
    std::istringstream pieces(content(path("pieces")));
    for (std::size_t i = 0; i < forced.size(); ++i) {
        std::string line;
        std::getline(pieces, line);
        if (line.find('<') == std::string::npos) {
            EXPECT_NEAR(searched[i], forced[i], 1e-4) << i;
            ++compared;
        }
    }
    EXPECT_GE(compared, 4);
}

class KindTest : public FamilyTest {};

TEST_P(KindTest, AnyNumberOfWorkersTrainsTheSameBytesAndAReportShowsThem) {
    train("one", "20", false, {"--set", "runtime.workers=1"});
    train("two", "20", false);
    train("three", "20", false, {"--set", "runtime.workers=3"});
    const std::string weights = content(path("one/model.safetensors"));
    ASSERT_FALSE(weights.empty());
    EXPECT_TRUE(weights == content(path("two/model.safetensors")));
    EXPECT_TRUE(weights == content(path("three/model.safetensors")));
    run({"report", path("two")});
    EXPECT_NE(content(path("two/report.html")).find("<section id=\"sentences\""), std::string::npos);
}

void PrintTo(const Member& member, std::ostream* out) {
    *out << member.name;
}

INSTANTIATE_TEST_SUITE_P(All, FamilyTest, testing::ValuesIn(combinations()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(All, KindTest, testing::ValuesIn(kinds()), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace softalign

// A model of each kind of encoder, decoder and source through every command: trained, resumed, translated with in every
// way, scored, rescored, evaluated, and shown in a report.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "base/has.h"
#include "cli/program_outcome.h"
#include "data/npy_files.h"

namespace softalign {
namespace {

using nlohmann::json;

struct WholeModel {
    std::string name;
    bool features = false;
    Arguments keys;  // of `model`, as --set takes them
};

void PrintTo(const WholeModel& model, std::ostream* out) {
    *out << model.name;
}

class WholeRun : public testing::TestWithParam<WholeModel> {
protected:
    void SetUp() override {
        if (GetParam().features) {
            write_pictures();
        } else {
            folder_.write("source", "one two three\nfour five\nsix one two\nthree\ntwo four six one\nfive\n");
        }
        folder_.write("target", "eins zwei drei\nvier\nsechs eins\ndrei\nzwei vier sechs\nfuenf fuenf\n");
        folder_.write("config.yaml",
                      std::string("data: {source_type: ") + (GetParam().features ? "features" : "text") +
                          ", train_source: source, train_target: target, valid_source: source, valid_target: target}\n"
                          "vocabulary: {type: word, size: 18}\n"
                          "model: {embedding_size: 8, encoder: {hidden_size: 8}, decoder: {hidden_size: 8},"
                          " attention: {size: 8}, transformer: {heads: 2, feed_forward_size: 12},"
                          " dropout: {output: 0.2}}\n"
                          "training: {batch_size: 2, optimizer: {learning_rate: 0.02}}\n"
                          "validation: {every: 10, unit: updates, metric: cross_entropy, translate: false}\n"
                          "search: {max_length: 8}\n"
                          "runtime: {workers: 2, log_level: error}\n"
                          "report: {html: false}\n");
    }

    // Six arrays of different grids, one of them a sequence, in a list.
    void write_pictures() const {
        const std::vector<std::vector<std::int64_t>> shapes = {{2, 3, 2}, {4, 2},    {3, 3, 2},
                                                               {1, 1, 2}, {4, 5, 2}, {6, 1, 2}};
        std::string list;
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            std::int64_t count = 1;
            for (const std::int64_t size : shapes[i]) {
                count *= size;
            }
            std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
            for (std::size_t k = 0; k < bytes.size(); ++k) {
                bytes[k] = static_cast<std::uint8_t>(53 * i + 29 * k * (i + 1));
            }
            const std::string name = std::to_string(i) + ".npy";
            write_npy(folder_.path(name), shapes[i], bytes);
            list += name + "\n";
        }
        folder_.write("source", list);
    }

    std::string run(const Arguments& arguments) const {
        const Outcome outcome = run_here(arguments);
        EXPECT_EQ(outcome.status, 0) << arguments.front() << ": " << outcome.err;
        return outcome.out;
    }

    std::string train(const std::string& name, const std::string& updates, const Arguments& more = {}) const {
        Arguments arguments = {"train", folder_.path("config.yaml"), "--device", "cpu"};
        for (const std::string& key : GetParam().keys) {
            arguments.insert(arguments.end(), {"--set", "model." + key});
        }
        arguments.insert(arguments.end(), {"--set", "checkpoints.directory=" + folder_.path(name), "--set",
                                           "training.max_updates=" + updates});
        arguments.insert(arguments.end(), more.begin(), more.end());
        run(arguments);
        return folder_.path(name);
    }

    Arguments translate(Arguments arguments) const {
        arguments.insert(arguments.begin(),
                         {"translate", "--device", "cpu", "--quiet", "--input", source_, "--forbid-unk"});
        return lines_of(run(arguments));
    }

    std::string score(Arguments arguments) const {
        arguments.insert(arguments.begin(), {"score", "--device", "cpu", "--quiet", "--source", source_});
        return run(arguments);
    }

    void expect_attention_of(const json& sentence, std::size_t positions) const {
        for (const json& translation : sentence["translations"]) {
            ASSERT_EQ(translation["attention"].size(), translation["pieces"].size());
            for (const json& row : translation["attention"]) {
                EXPECT_EQ(row.size(), positions);
                const auto weights = row.get<std::vector<double>>();
                EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-3);
            }
        }
    }

    void expect_rescored(const std::string& model) const;

    const TemporaryFolder folder_;
    const std::string source_ = folder_.path("source");
    const std::string target_ = folder_.path("target");
    static constexpr std::size_t sentences = 6;
};

// The log-probabilities that the search had are those of the translations when they are given.
void WholeRun::expect_rescored(const std::string& model) const {
    const Arguments plain = translate({"--model", model, "--beam", "4", "--n-best", "3", "--features"});
    EXPECT_EQ(plain.size(), 3 * sentences);
    const Arguments pieces = translate({"--model", model, "--beam", "4", "--n-best", "3", "--pieces"});
    ASSERT_EQ(pieces.size(), plain.size());
    const std::string list = folder_.write("list", joined(plain));
    const Arguments rescored = lines_of(score({"--model", model, "--n-best", list}));
    ASSERT_EQ(rescored.size(), plain.size());
    const auto value = [](const std::string& line, const std::string& name) {
        return std::stod(line.substr(line.find(" " + name + "= ") + name.size() + 3));
    };
    int compared = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        EXPECT_TRUE(has(rescored[i], " Rescore= "));
        if (!has(pieces[i], "<")) {  // special pieces, which a model so little trained may write, are not in the text
            EXPECT_NEAR(value(rescored[i], "LogProb"), value(rescored[i], "Rescore"), 1e-4) << pieces[i];
            ++compared;
        }
    }
    EXPECT_GE(compared, 6);
    EXPECT_EQ(lines_of(score({"--model", model, "--n-best", list, "--interpolate", "0.5", "--best"})).size(),
              sentences);
}

TEST_P(WholeRun, IsResumedToTheSameBytesAndReported) {
    const std::string whole = train("whole", "20");
    train("parts", "10");
    const std::string parts = train("parts", "20", {"--resume"});
    EXPECT_FALSE(read_bytes(weights_path(whole)).empty());
    EXPECT_TRUE(read_bytes(weights_path(whole)) == read_bytes(weights_path(parts)));
    run({"report", parts});
    EXPECT_TRUE(has(read_bytes(parts + "/report.html"), "<section id=\"sentences\""));
    const std::string page = folder_.path("page.html");
    translate({"--model", parts, "--report", page, "--output", "/dev/null"});
    EXPECT_TRUE(has(read_bytes(page), "<section id=\"sentences\""));
}

// Lines of n-best lists. Products may round differently with the number of rows, which the last digit shows.
void expect_same_but_for_rounding(const Arguments& lines, const Arguments& others) {
    ASSERT_EQ(lines.size(), others.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::size_t score = lines[i].rfind(' ');
        const std::size_t other_score = others[i].rfind(' ');
        EXPECT_EQ(lines[i].substr(0, score), others[i].substr(0, other_score));
        EXPECT_NEAR(std::stod(lines[i].substr(score)), std::stod(others[i].substr(other_score)), 1e-5);
    }
}

TEST_P(WholeRun, IsTranslatedScoredAndEvaluated) {
    const std::string model = train("model", "60");
    const std::string other = train("other", "20", {"--set", "training.seed=7"});

    const Arguments best = translate({"--model", model, "--beam", "4"});
    ASSERT_EQ(best.size(), sentences);
    const Arguments lines =
        translate({"--model", model, "--beam", "4", "--n-best", "2", "--json", "-", "--json-attention"});
    ASSERT_EQ(lines.size(), sentences);
    for (std::size_t i = 0; i < sentences; ++i) {
        const json sentence = json::parse(lines[i]);
        EXPECT_EQ(sentence["translations"].size(), 2U);
        EXPECT_EQ(sentence["translations"][0]["text"], best[i]);
        expect_attention_of(sentence, GetParam().features ? sentence["grid"][0].get<std::size_t>() *
                                                                sentence["grid"][1].get<std::size_t>()
                                                          : sentence["source_pieces"].size());
    }
    EXPECT_EQ(lines_of(run({"translate", "--model", model, "--quiet", "--input", source_, "--output", "/dev/null",
                            "--alignments", "-"}))
                  .size(),
              sentences);

    const Arguments drawn = translate({"--model", model, "--sample", "--n-best", "4", "--seed", "7"});
    EXPECT_EQ(drawn.size(), 4 * sentences);
    expect_same_but_for_rounding(
        translate({"--model", model, "--sample", "--n-best", "4", "--seed", "7", "--batch-size", "1"}), drawn);
    EXPECT_NE(translate({"--model", model, "--sample", "--n-best", "4", "--seed", "8"}), drawn);

    const Arguments averaged = translate({"--model", model, "--model", other, "--n-best", "2", "--features"});
    ASSERT_EQ(averaged.size(), 2 * sentences);
    EXPECT_TRUE(has(averaged.front(), "Model2= ") || has(averaged.front(), "Model1= ")) << averaged.front();
    EXPECT_EQ(translate({"--model", model, "--model", other, "--ensemble-weights", "1,0", "--beam", "4"}), best);

    const Arguments alone = lines_of(score({"--model", model, "--target", target_}));
    const Arguments twice = lines_of(score({"--model", model, "--model", model, "--target", target_}));
    ASSERT_EQ(alone.size(), sentences);
    ASSERT_EQ(twice.size(), sentences);
    for (std::size_t i = 0; i < sentences; ++i) {
        EXPECT_NEAR(std::stod(alone[i]), std::stod(twice[i]), 1e-4);
        EXPECT_LT(std::stod(alone[i]), 0.0);
    }
    expect_rescored(model);

    const std::string kept = folder_.path("kept");
    const std::string figures = run({"evaluate", "--model", model, "--source", source_, "--references", target_,
                                     "--output", kept, "--beam", "4", "--forbid-unk"});
    EXPECT_TRUE(has(figures, "BLEU")) << figures;
    EXPECT_EQ(lines_of(read_bytes(kept)), best);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, WholeRun,
    testing::Values(WholeModel{"bigru_additive", false, {"attention.type=additive"}},
                    WholeModel{"transformer", false, {"encoder.type=transformer", "decoder.type=transformer"}},
                    WholeModel{"transformer_gru", false, {"encoder.type=transformer"}},
                    WholeModel{"convolution_gru", false, {"encoder.type=convolutional"}},
                    WholeModel{"grid_gru", true, {"encoder.type=none"}},
                    WholeModel{"rows_of_the_grid_gru", true, {"encoder.type=recurrent"}},
                    WholeModel{"strided_grid_gru",
                               true,
                               {"encoder.type=convolutional", "source.convolutions.channels=[4]",
                                "source.convolutions.row_strides=2"}},
                    WholeModel{"grid_transformer", true, {"encoder.type=transformer", "decoder.type=transformer"}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace softalign

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/command_test.h"

namespace softalign {
namespace {

using Json = nlohmann::json;

class TranslateOutputs : public CommandTest {
protected:
    void SetUp() override { write_model(model_); }

    // What the command prints on standard output, of `model`.
    std::string run(Arguments arguments, const std::string& model) {
        arguments.insert(arguments.begin(), {"translate", "--model", model, "--device", "cpu", "--input", input_});
        return output_of(&add_translate_command, arguments);
    }
    std::string run(const Arguments& arguments) { return run(arguments, model_); }

    // The message of a command line that is refused, by the parser or later.
    std::string refused(const Arguments& arguments, const std::string& model) {
        try {
            run(arguments, model);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            return error.what();
        } catch (const CLI::ParseError& error) {
            return error.what();
        }
        return "no error";
    }
    std::string refused(const Arguments& arguments) { return refused(arguments, model_); }

    // A model whose pieces are characters.
    std::string character_model() const {
        Config config = small_model_config();
        config.vocabulary.type = VocabularyType::character;
        const std::string model = path("characters");
        write_model(model, config);
        return model;
    }

    std::string path(const std::string& name) const { return folder_.path(name); }
    Arguments lines(const std::string& name) const { return lines_of(read_bytes(path(name))); }

    const std::string model_ = path("model");
    const std::string input_ = folder_.write("input", joined(model_sentences));
};

TEST_F(TranslateOutputs, FeaturesMakeNBestLinesOfAnyNumber) {
    const Arguments texts = lines_of(run({"--scores", path("scores")}));
    const Arguments listed = lines_of(run({"--features"}));
    const Arguments scores = lines("scores");
    ASSERT_EQ(listed.size(), texts.size());
    for (std::size_t i = 0; i < listed.size(); ++i) {
        const std::string begin = std::to_string(i) + " ||| " + texts[i] + " ||| LogProb= " + split(scores[i], '\t')[1];
        EXPECT_EQ(listed[i].substr(0, begin.size()), begin);
        EXPECT_NE(listed[i].find(" Length= "), std::string::npos);
        EXPECT_NE(listed[i].find(" ||| " + split(scores[i], '\t')[0]), std::string::npos);
    }
    EXPECT_EQ(listed[3], "3 |||  ||| LogProb= 0.000000 Length= 1 LengthNorm= 1.000000 ||| 0.000000");
    EXPECT_EQ(lines_of(run({"--features", "--n-best", "3"})).size(), 13U);
}

TEST_F(TranslateOutputs, TokenScoresAddUpToTheLogProbability) {
    run({"--n-best", "2", "--pieces", "--output", path("pieces"), "--scores", path("scores"), "--token-scores",
         path("tokens")});
    const Arguments pieces = lines("pieces");
    const Arguments scores = lines("scores");
    const Arguments tokens = lines("tokens");
    ASSERT_EQ(tokens.size(), 9U);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Arguments columns = split(tokens[i], '\t');
        ASSERT_EQ(columns.size(), 2U) << tokens[i];
        const std::string text = pieces[i].substr(6, pieces[i].rfind(" ||| ") - 6);
        EXPECT_EQ(columns[0], text.empty() ? "</s>" : text + " </s>");
        const Arguments values = split(columns[1], ' ');
        EXPECT_EQ(values.size(), split(columns[0], ' ').size());
        double sum = 0.0;
        for (const std::string& value : values) {
            sum += std::stod(value);
        }
        EXPECT_NEAR(sum, std::stod(split(scores[i], '\t')[1]), 1e-4);
    }
}

// One alignment in its four forms: they must tell the same.
TEST_F(TranslateOutputs, AlignmentsInPiecesAndWords) {
    const std::string model = character_model();
    const Arguments texts = lines_of(run({}, model));
    for (const std::string units : {"pieces", "words"}) {
        run({"--alignments", path("hard"), "--alignment-units", units, "--output", path("out")}, model);
        run({"--alignments", path("soft"), "--alignment-units", units, "--alignment-format", "soft", "--output",
             path("out")},
            model);
        const Arguments hard = lines("hard");
        const Arguments soft = lines("soft");
        ASSERT_EQ(soft.size(), model_sentences.size());
        for (std::size_t i = 0; i < soft.size(); ++i) {
            const Json json = Json::parse(soft[i]);
            EXPECT_EQ(json.at("index"), i);
            const auto weights = json.at("weights").get<std::vector<std::vector<double>>>();
            ASSERT_EQ(weights.size(), json.at("target").size());
            EXPECT_EQ(json.at("source").back(), "</s>");
            EXPECT_EQ(json.at("target").back(), "</s>");
            if (units == "words") {
                EXPECT_EQ(json.at("source").size(), split(model_sentences[i], ' ').size() + 1);
                std::istringstream words(texts[i]);
                EXPECT_EQ(json.at("target").size(),
                          static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(words), {})) + 1);
            }
            std::string pairs;
            for (std::size_t row = 0; row < weights.size(); ++row) {
                ASSERT_EQ(weights[row].size(), json.at("source").size());
                EXPECT_NEAR(std::accumulate(weights[row].begin(), weights[row].end(), 0.0), 1.0, 1e-4);
                const auto best = std::max_element(weights[row].begin(), weights[row].end()) - weights[row].begin();
                if (row + 1 < weights.size() && static_cast<std::size_t>(best) + 1 < weights[row].size()) {
                    pairs += (pairs.empty() ? "" : " ") + std::to_string(best) + "-" + std::to_string(row);
                }
            }
            EXPECT_EQ(hard[i], pairs);
        }
    }
}

TEST_F(TranslateOutputs, JsonHoldsWhatTheOtherFilesSay) {
    const std::string model = character_model();
    const Arguments texts =
        lines_of(run({"--n-best", "2", "--json", path("json"), "--json-attention", "--scores", path("scores"),
                      "--token-scores", path("tokens"), "--alignments", path("align")},
                     model));
    run({"--n-best", "2", "--alignments", path("words"), "--alignment-units", "words"}, model);
    std::size_t line = 0;
    const Arguments sentences = lines("json");
    ASSERT_EQ(sentences.size(), model_sentences.size());
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        const Json sentence = Json::parse(sentences[i]);
        EXPECT_EQ(sentence.at("index"), i);
        EXPECT_EQ(sentence.at("source"), model_sentences[i]);
        for (const Json& translation : sentence.at("translations")) {
            EXPECT_EQ(
                texts.at(line).find(std::to_string(i) + " ||| " + translation.at("text").get<std::string>() + " ||| "),
                0U);
            EXPECT_NEAR(translation.at("score").get<double>(), std::stod(split(lines("scores")[line], '\t')[0]), 1e-6);
            EXPECT_NEAR(translation.at("log_prob").get<double>(), std::stod(split(lines("scores")[line], '\t')[1]),
                        1e-6);
            EXPECT_NEAR(translation.at("score").get<double>() * translation.at("length_norm").get<double>(),
                        translation.at("log_prob").get<double>(), 1e-9);
            const auto pieces = translation.at("pieces").get<Arguments>();
            EXPECT_EQ(pieces, split(split(lines("tokens")[line], '\t')[0], ' '));
            EXPECT_EQ(translation.at("token_log_probs").size(), pieces.size());
            EXPECT_EQ(translation.at("attention").size(), pieces.size());
            EXPECT_EQ(translation.at("attention").at(0).size(), sentence.at("source_pieces").size());
            for (const auto& [name, file] : {std::pair("alignment", "align"), std::pair("word_alignment", "words")}) {
                std::string pairs;
                for (const Json& pair : translation.at(name)) {
                    pairs += (pairs.empty() ? "" : " ") + pair.at(0).dump() + "-" + pair.at(1).dump();
                }
                EXPECT_EQ(pairs, lines(file)[line]);
            }
            ++line;
        }
    }
    EXPECT_EQ(line, texts.size());
}

TEST_F(TranslateOutputs, JsonOnStandardOutputTakesTheTextsPlace) {
    const std::string text = run({});
    const Arguments sentences = lines_of(run({"--json", "-"}));
    ASSERT_EQ(sentences.size(), model_sentences.size());
    EXPECT_EQ(Json::parse(sentences[0]).at("translations").at(0).at("text"), lines_of(text)[0]);
    EXPECT_FALSE(Json::parse(sentences[0]).at("translations").at(0).contains("attention"));
    EXPECT_EQ(lines_of(run({"--json", "-", "--output", path("text")})), sentences);
    EXPECT_EQ(read_bytes(path("text")), text);
    EXPECT_EQ(run({"--json", path("json")}), text);
    EXPECT_EQ(lines("json"), sentences);
}

TEST_F(TranslateOutputs, WhatDoesNotGoTogether) {
    EXPECT_EQ(refused({"--json", "-", "--output", "-"}),
              "--output and --json would both write to standard output; give them different files");
    EXPECT_EQ(refused({"--json", path("x"), "--token-scores", path("x")}),
              "--token-scores and --json would both write to " + path("x") + "; give them different files");
    const std::string nowhere =
        " is about the lines of --output, which are not written where --json takes standard output; give --output FILE";
    EXPECT_EQ(refused({"--json", "-", "--features"}), "--features" + nowhere);
    EXPECT_EQ(refused({"--json", "-", "--pieces"}), "--pieces" + nowhere);
    EXPECT_NE(refused({"--alignment-format", "soft"}).find("--alignments"), std::string::npos);
    EXPECT_NE(refused({"--alignment-units", "words"}).find("--alignments"), std::string::npos);
    EXPECT_NE(refused({"--json-attention"}).find("--json"), std::string::npos);
    EXPECT_NE(refused({"--alignments", path("a"), "--alignment-format", "medium"}).find("medium"), std::string::npos);
    EXPECT_NE(refused({"--alignments", path("a"), "--alignment-units", "lines"}).find("lines"), std::string::npos);
}

TEST_F(TranslateOutputs, AModelWithoutAttentionHasNoAlignments) {
    Config config = small_model_config();
    config.model.attention.type = AttentionType::none;
    const std::string model = path("none");
    write_model(model, config);
    EXPECT_EQ(refused({"--json", path("json"), "--json-attention"}, model),
              "--json-attention: " + model + " is a model without attention");
    EXPECT_FALSE(std::filesystem::exists(path("json")));
    for (const std::string& line : lines_of(run({"--json", "-"}, model))) {
        EXPECT_FALSE(Json::parse(line).at("translations").at(0).contains("alignment")) << line;
    }
}

}  // namespace
}  // namespace softalign

#include "train/pretrained_embeddings.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/captured_log.h"
#include "base/has.h"
#include "train/first_weights.h"
#include "train/run_data.h"
#include "train/trainer.h"
#include "train/training_test.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class PretrainedEmbeddings : public Training {
protected:
    // Vectors of the width of the model, each of one number; what follows the words is written as it is.
    std::string vectors(const std::string& name, const std::vector<std::pair<std::string, float>>& words,
                        const std::string& rest = "") const {
        std::ofstream file(at(name));
        file << words.size() << " 16\n";
        for (const auto& [word, number] : words) {
            file << word;
            for (int i = 0; i < 16; ++i) {
                file << " " << number;
            }
            file << " \n";
        }
        file << rest;
        return at(name);
    }

    // The number that each piece's embedding consists of; the pieces that were drawn are left out.
    using Given = std::map<std::string, float>;
    static Given given(const at::Tensor& table, const Tokenizer& tokenizer) {
        Given result;
        for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
            if (table[id].min().equal(table[id].max())) {
                result[tokenizer.piece(id)] = table[id][0].item<float>();
            }
        }
        return result;
    }

    struct Begin {
        std::map<std::string, at::Tensor> weights;
        Tokenizers tokenizers;
        Given of(const std::string& name) const { return given(weights.at(name), *tokenizers.source); }
    };
    Begin begin(const Config& config) const {
        Begin result;
        result.tokenizers = make_tokenizers(make_vocabularies(config, at("run")), config.data.source_type);
        Seq2Seq model(config.model, {result.tokenizers.source->size(), result.tokenizers.target->size()});
        model.initialize(config.training.seed);
        TrainingVectors vectors(config.training, model);
        take_given_weights(config, result.tokenizers, vectors);
        EXPECT_TRUE(vectors.average.equal(vectors.parameters.values()));
        for (const auto& [name, part] : vectors.parameters.parts(vectors.parameters.values())) {
            result.weights[name] = part;
        }
        return result;
    }

    const std::string alpha =
        "\xE2\x96\x81"
        "alpha";
    const std::string bravo =
        "\xE2\x96\x81"
        "bravo";
};

TEST_F(PretrainedEmbeddings, GoToThePiecesOfTheirWords) {
    Config run = config("run");
    run.model.init.source_embeddings =
        vectors("source.vec", {{"</s>", 1}, {"alpha", 2}, {"zulu", 3}, {"alpha", 4}, {bravo, 5}, {"bravo", 6}});
    const CapturedLog log;
    const Begin result = begin(run);
    // Of a word that comes twice the first; a word spelt like the piece goes before the one without "▁".
    EXPECT_EQ(result.of("source_embedding"), (Given{{"</s>", 1}, {alpha, 2}, {bravo, 5}}));
    EXPECT_EQ(result.of("target_embedding"), Given());
    EXPECT_TRUE(has(log.text(), "model.init.source_embeddings: vectors for 3 of 12 pieces, from 6 words of " +
                                    at("source.vec").string()))
        << log.text();
}

TEST_F(PretrainedEmbeddings, APieceSpeltLikeTheWordWinsWhereverItStands) {
    Config run = config("run");
    run.model.init.target_embeddings = vectors("target.vec", {{"bravo", 6}, {bravo, 5}});
    EXPECT_EQ(begin(run).of("target_embedding"), (Given{{bravo, 5}}));
    EXPECT_EQ(begin(run).of("source_embedding"), Given());
}

// Of pieces inside of words only what is written like them.
TEST_F(PretrainedEmbeddings, PiecesInsideOfWordsTakeTheirOwn) {
    Config run = config("run");
    run.vocabulary.type = VocabularyType::character;
    run.vocabulary.size = 40;
    run.model.init.source_embeddings = vectors("source.vec", {{"a", 1}, {"alpha", 2}});
    EXPECT_EQ(begin(run).of("source_embedding"), (Given{{"a", 1}}));
}

TEST_F(PretrainedEmbeddings, OfATiedTableTheSourcesGoFirst) {
    Config run = config("run");
    run.model.tied_embeddings = TiedEmbeddings::all;
    run.model.init.source_embeddings = vectors("source.vec", {{"alpha", 1}});
    run.model.init.target_embeddings = vectors("target.vec", {{"alpha", 2}, {"bravo", 3}});
    EXPECT_EQ(begin(run).of("source_embedding"), (Given{{alpha, 1}, {bravo, 3}}));
}

TEST_F(PretrainedEmbeddings, FaultsEndTheStartAndLeaveNothing) {
    Config run = config("run");
    const auto refusal = [&](ExitCode code) { return fault(code, [&] { train(run, false); }); };
    run.model.init.source_embeddings = at("none.vec");
    EXPECT_TRUE(has(refusal(ExitCode::data), "none.vec"));
    run.model.init.source_embeddings = vectors("wide.vec", {{"alpha", 1}});
    run.model.embedding_size = 20;
    std::string message = refusal(ExitCode::configuration);
    EXPECT_TRUE(has(message, "model.init.source_embeddings: " + at("wide.vec").string() +
                                 ":1: its vectors have 16 numbers, and model.embedding_size is 20"))
        << message;
    EXPECT_FALSE(fs::exists(at("run")));
    run.model.embedding_size = 16;
    run.model.init.source_embeddings = vectors("long.vec", {{"alpha", 1}}, "bravo 1 2\n");
    message = refusal(ExitCode::data);
    EXPECT_TRUE(has(message, "long.vec:3: more lines than the 1 words")) << message;
    EXPECT_FALSE(fs::exists(at("run") / "config.yaml"));
}

TEST_F(PretrainedEmbeddings, ARunEndsWithTheSameBytesAndResumesWithoutTheFile) {
    Config whole = config("whole");
    whole.model.init.source_embeddings = vectors("source.vec", {{"alpha", 1}, {"bravo", -1}});
    whole.training.freeze = {"source_embedding"};
    whole.training.max_updates = 9;
    train(whole, false);
    Config parts = whole;
    parts.checkpoints.directory = at("parts");
    parts.runtime.workers = 1;
    parts.training.max_updates = 4;
    train(parts, false);
    fs::remove(at("source.vec"));
    parts.training.max_updates = 9;
    train(parts, true);
    EXPECT_TRUE(tensors("whole/checkpoints/last-9.safetensors") == tensors("parts/checkpoints/last-9.safetensors"));
    const LoadedModel loaded = load_model(at("whole"), at::kCPU);
    EXPECT_EQ(given(*loaded.model->named_parameters().find("source_embedding"), *loaded.source_tokenizer),
              (Given{{alpha, 1}, {bravo, -1}}));
}

}  // namespace
}  // namespace softalign

#include "train/start_model.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/captured_log.h"
#include "base/has.h"
#include "storage/safetensors.h"
#include "train/first_weights.h"
#include "train/run_data.h"
#include "train/trainer.h"
#include "train/training_test.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

using Tensors = std::map<std::string, at::Tensor>;

class StartModelTest : public Training {
protected:
    // A trained model in "old".
    Config train_old(TiedEmbeddings tied = TiedEmbeddings::none, bool joint = true) const {
        Config old = config("old");
        old.model.tied_embeddings = tied;
        old.vocabulary.joint = joint;
        old.training.max_epochs = 1;
        train(old, false);
        return old;
    }

    // Like the old one, on text with a word that the old one has not, and without one that it has.
    Config on_other_text(const Config& old) const {
        for (const char* side : {".src", ".tgt"}) {
            std::ifstream text(at("train" + std::string(side)));
            std::ofstream other(at("other" + std::string(side)));
            for (std::string line; std::getline(text, line);) {
                other << (has(line, "kilo") ? "alpha zulu" : line) << "\n";
            }
        }
        Config changed = old;
        changed.data.train_source = {at("other.src")};
        changed.data.train_target = {at("other.tgt")};
        changed.training.start_from = at("old");
        changed.training.seed = 7;
        changed.checkpoints.directory = at("new");
        return changed;
    }

    // What a run of this configuration begins with, and what it would begin with without the other model.
    struct Begin {
        Tokenizers tokenizers;
        Tensors drawn;
        Tensors taken;
    };
    Begin begin(const Config& config) const {
        Begin result;
        const VocabularyFiles files = make_vocabularies(config, config.checkpoints.directory);
        result.tokenizers = make_tokenizers(files, config.data.source_type);
        Seq2Seq model(config.model, {result.tokenizers.source->size(), result.tokenizers.target->size()});
        model.initialize(config.training.seed);
        TrainingVectors vectors(config.training, model);
        for (const auto& [name, part] : vectors.parameters.parts(vectors.parameters.values())) {
            result.drawn[name] = part.clone();
        }
        take_given_weights(config, result.tokenizers, vectors);
        for (const auto& [name, part] : vectors.parameters.parts(vectors.parameters.values())) {
            result.taken[name] = part;
        }
        EXPECT_TRUE(!vectors.average.defined() || vectors.average.equal(vectors.parameters.values()));
        return result;
    }

    Tensors weights_of(const std::string& run) const {
        const TensorFile file = read_safetensors(at(run) / "model.safetensors");
        return {file.tensors.begin(), file.tensors.end()};
    }

    std::map<std::string, std::int64_t> places(const Tokenizer& tokenizer) const {
        std::map<std::string, std::int64_t> result;
        for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
            result[tokenizer.piece(id)] = id;
        }
        return result;
    }

    // Row by row, by what the pieces are called. Returns how many are the old ones.
    int expect_rows(const at::Tensor& taken, const at::Tensor& drawn, const Tokenizer& mine, const at::Tensor& stored,
                    const Tokenizer& theirs) const {
        int shared = 0;
        const auto old_places = places(theirs);
        for (const auto& [piece, id] : places(mine)) {
            const auto place = old_places.find(piece);
            const bool has_it = place != old_places.end();
            shared += has_it ? 1 : 0;
            EXPECT_TRUE(taken[id].equal(has_it ? stored[place->second] : drawn[id])) << piece;
        }
        return shared;
    }
};

TEST_F(StartModelTest, WithItsVocabularyAllWeightsAreThose) {
    Config next = on_other_text(train_old());
    next.vocabulary.from_start_model = true;
    next.vocabulary.size = 8;  // ignored
    const CapturedLog log;
    const Begin run = begin(next);
    EXPECT_EQ(make_vocabularies(next, at("new")).front().bytes, bytes("old/joint.spm"));
    EXPECT_EQ(make_vocabularies(next, at("new")).front().path, at("new") / "joint.spm");
    for (const auto& [name, tensor] : weights_of("old")) {
        EXPECT_TRUE(run.taken.at(name).equal(tensor)) << name;
    }
    EXPECT_TRUE(has(log.text(), "info weights from " + at("old").string() + " (update 15): those of 12 of 12 pieces"))
        << log.text();
    EXPECT_FALSE(has(log.text(), "warning")) << log.text();
}

TEST_F(StartModelTest, OfAnotherVocabularySharedPiecesAreTaken) {
    const Config next = on_other_text(train_old());
    const CapturedLog log;
    const Begin run = begin(next);
    const Tensors stored = weights_of("old");
    const Tokenizers theirs = load_tokenizers(at("old"));
    for (const char* name : {"source_embedding", "target_embedding", "output_weight", "output_bias"}) {
        SCOPED_TRACE(name);
        EXPECT_EQ(expect_rows(run.taken.at(name), run.drawn.at(name), *run.tokenizers.target, stored.at(name),
                              *theirs.target),
                  11);
    }
    for (const auto& [name, tensor] : stored) {
        EXPECT_TRUE(name.find('.') == std::string::npos || run.taken.at(name).equal(tensor)) << name;
    }
    EXPECT_TRUE(has(log.text(), "those of 11 of 12 pieces")) << log.text();
}

TEST_F(StartModelTest, TiedTablesFillWhatIsNot) {
    Config next = on_other_text(train_old(TiedEmbeddings::all));
    next.model.tied_embeddings = TiedEmbeddings::none;
    next.vocabulary.joint = false;
    const CapturedLog log;
    const Begin run = begin(next);
    const Tensors stored = weights_of("old");
    EXPECT_EQ(stored.count("target_embedding"), 0U);
    const Tokenizers theirs = load_tokenizers(at("old"));
    for (const char* name : {"source_embedding", "target_embedding", "output_weight"}) {
        SCOPED_TRACE(name);
        const Tokenizer& mine =
            std::string(name) == "source_embedding" ? *run.tokenizers.source : *run.tokenizers.target;
        EXPECT_EQ(
            expect_rows(run.taken.at(name), run.drawn.at(name), mine, stored.at("source_embedding"), *theirs.target),
            11);
    }
    EXPECT_TRUE(has(log.text(), "11 of 12 source pieces and 11 of 12 target pieces")) << log.text();
}

TEST_F(StartModelTest, TensorsWithoutAPlaceAreNamed) {
    Config next = on_other_text(train_old());
    next.model.tied_embeddings = TiedEmbeddings::target;
    const CapturedLog log;
    begin(next);
    EXPECT_TRUE(has(log.text(), "tensors that this model has no place for: output_weight")) << log.text();
}

TEST_F(StartModelTest, AnotherArchitectureIsRefusedWithItsFirstTensor) {
    Config next = on_other_text(train_old());
    const auto refusal = [&](const Config& config) { return fault(ExitCode::configuration, [&] { begin(config); }); };
    next.model.embedding_size = 8;
    std::string message = refusal(next);
    EXPECT_TRUE(has(message, "training.start_from: the tensor source_embedding, here [12, 8], does not fit " +
                                 at("old").string() + ": that model's is [12, 16]"))
        << message;
    next.model.embedding_size = 16;
    next.model.layer_norm = true;
    message = refusal(next);
    EXPECT_TRUE(has(message, "that model has none of this name; give this model the keys of model in " +
                                 (at("old") / "config.yaml").string()))
        << message;
}

TEST_F(StartModelTest, WhatIsNoModelIsRefusedBeforeAnythingIsMade) {
    const auto refusal = [&](ExitCode code, const Config& config) {
        return fault(code, [&] { train(config, false); });
    };
    Config next = config("new");
    next.training.start_from = at("none");
    EXPECT_TRUE(has(refusal(ExitCode::model, next), "training.start_from: no model directory"));
    EXPECT_FALSE(fs::exists(at("new")));
    train_old();
    fs::copy(at("old"), at("half"), fs::copy_options::recursive);
    fs::remove(at("half") / "model.safetensors");
    next.training.start_from = at("half");
    EXPECT_TRUE(has(refusal(ExitCode::model, next), "has no model.safetensors"));
    next.training.start_from = at("old");
    next.data.source_type = SourceType::features;
    EXPECT_TRUE(has(fault(ExitCode::configuration, [&] { require_start_model(next); }), "data.source_type"));
    next.data.source_type = SourceType::text;
    next.checkpoints.directory = at("old") / ".";
    EXPECT_TRUE(has(fault(ExitCode::configuration, [&] { require_start_model(next); }), "with --resume"));
    EXPECT_FALSE(fs::exists(at("new")));
}

TEST_F(StartModelTest, AVocabularyThatCannotBeReadIsNamedWhereItIs) {
    Config next = on_other_text(train_old());
    next.vocabulary.from_start_model = true;
    std::ofstream(at("old/joint.spm")) << "none";
    const std::string message = fault(ExitCode::model, [&] { train(next, false); });
    EXPECT_TRUE(has(message, at("old/joint.spm").string() + ": ")) << message;
    EXPECT_FALSE(fs::exists(at("new/joint.spm")));
}

TEST_F(StartModelTest, OneVocabularyCannotBeMadeOfTwo) {
    Config next = on_other_text(train_old(TiedEmbeddings::none, false));
    next.vocabulary.from_start_model = true;
    next.vocabulary.joint = true;
    next.model.tied_embeddings = TiedEmbeddings::all;
    const std::string message = fault(ExitCode::configuration, [&] { make_vocabularies(next, at("new")); });
    EXPECT_TRUE(has(message, "model.tied_embeddings: all needs one vocabulary for both sides")) << message;
}

TEST_F(StartModelTest, ARunEndsWithTheSameBytesOnAnyNumberOfWorkersAndAfterAResume) {
    Config whole = on_other_text(train_old());
    whole.training.max_updates = 9;
    Config drawn = whole;
    drawn.training.start_from.clear();
    drawn.checkpoints.directory = at("drawn");
    train(drawn, false);
    train(whole, false);
    EXPECT_NE(bytes("new/model.safetensors"), bytes("drawn/model.safetensors"));
    Config parts = whole;
    parts.checkpoints.directory = at("parts");
    parts.runtime.workers = 1;
    parts.training.max_updates = 4;
    train(parts, false);
    fs::remove_all(at("old"));  // a run that has begun does without it
    parts.training.max_updates = 9;
    train(parts, true);
    EXPECT_TRUE(tensors("new/checkpoints/last-9.safetensors") == tensors("parts/checkpoints/last-9.safetensors"));
}

}  // namespace
}  // namespace softalign

#include "train/trainer.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/corpus.h"
#include "metrics/bleu.h"
#include "storage/model_directory.h"
#include "storage/safetensors.h"
#include "train/training_test.h"
#include "translate/batch_translator.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

TEST_F(Training, learns_to_reverse_and_reports_the_bleu_that_evaluate_gives) {
    Config run = config("run");
    run.training.max_epochs = 25;
    run.model.dropout.output = 0.0;
    run.validation.patience = 0;
    const TrainingResult result = train(run, false);
    EXPECT_EQ(result.reason, StopReason::max_epochs);
    ASSERT_FALSE(result.state.best.empty());
    EXPECT_GT(result.state.best.front().score, 95.0);

    const LoadedModel loaded = load_model(at("run"), at::kCPU);
    const std::vector<std::string> sources = read_lines(at("valid.src"));
    const std::vector<std::string> texts = best_texts(*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer,
                                                      sources, TranslateOptions{loaded.config.search});
    EXPECT_EQ(corpus_bleu(texts, {read_lines(at("valid.tgt"))}, BleuOptions{}).score, result.state.best.front().score);
    EXPECT_EQ(read_lines(at("run") / "validation.best.txt"), texts);
}

// Its validation translates too, so the BLEU is of text in the right order.
TEST_F(Training, learns_to_write_from_right_to_left) {
    Config run = config("run");
    run.model.decoder.reverse_target = true;
    run.model.dropout.output = 0.0;
    run.training.max_epochs = 25;
    run.validation.patience = 0;
    const TrainingResult result = train(run, false);
    ASSERT_FALSE(result.state.best.empty());
    EXPECT_GT(result.state.best.front().score, 95.0);

    // The same weights in a model that writes from left to right give the words turned round.
    const LoadedModel loaded = load_model(at("run"), at::kCPU);
    ModelConfig forward = loaded.config.model;
    forward.decoder.reverse_target = false;
    Seq2Seq other(forward, loaded.model->sizes());
    auto parameters = other.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        parameters[i].set_data(loaded.model->parameters()[i]);
    }
    const auto best_of = [&](const Seq2Seq& model) {
        return best_texts(model, *loaded.source_tokenizer, *loaded.target_tokenizer, {"alpha bravo delta"},
                          TranslateOptions{loaded.config.search})
            .front();
    };
    EXPECT_EQ(best_of(*loaded.model), "delta bravo alpha");
    EXPECT_EQ(best_of(other), "alpha bravo delta");
}

TEST_F(Training, a_resumed_run_ends_with_the_same_bytes) {
    Config whole = config("whole");
    whole.vocabulary.type = VocabularyType::unigram;
    whole.vocabulary.size = 30;
    whole.vocabulary.sampling_alpha = 0.5;
    whole.training.max_epochs = 3;
    whole.training.accumulate = 2;
    whole.data.valid_source.clear();
    whole.data.valid_target.clear();
    whole.validation.metric = Metric::cross_entropy;
    train(whole, false);

    Config parts = whole;
    parts.checkpoints.directory = at("parts");
    for (const std::int64_t limit : {5, 11, 17}) {  // none at the end of an epoch of 8 updates
        parts.training.max_updates = limit;
        train(parts, limit > 5);
    }
    parts.training.max_updates = 0;
    train(parts, true);
    EXPECT_EQ(read_bytes(at("parts") / "model.safetensors"), read_bytes(at("whole") / "model.safetensors"));
}

TEST_F(Training, the_same_seed_gives_the_same_run_on_any_number_of_workers) {
    Config one = config("one");
    one.runtime.workers = 1;
    one.runtime.prefetch = 1;
    train(one, false);
    Config three = config("three");
    three.runtime.workers = 3;
    train(three, false);
    EXPECT_EQ(read_bytes(at("one") / "model.safetensors"), read_bytes(at("three") / "model.safetensors"));
    EXPECT_EQ(metrics("one"), metrics("three"));
    Config other = config("other");
    other.training.seed = 2;
    train(other, false);
    EXPECT_NE(read_bytes(at("one") / "model.safetensors"), read_bytes(at("other") / "model.safetensors"));
}

TEST_F(Training, a_corpus_on_disk_gives_the_same_bytes) {
    Config run = config("in_memory");
    run.vocabulary.type = VocabularyType::unigram;
    run.vocabulary.size = 30;
    run.vocabulary.sampling_alpha = 0.5;
    train(run, false);
    run.checkpoints.directory = at("on_disk");
    run.data.on_disk = true;
    train(run, false);
    EXPECT_EQ(bytes("on_disk/model.safetensors"), bytes("in_memory/model.safetensors"));
    EXPECT_EQ(metrics("on_disk"), metrics("in_memory"));
}

TEST_F(Training, refuses_a_directory_that_holds_a_run) {
    train(config("run"), false);
    const std::string before = read_bytes(at("run") / "model.safetensors");
    try {
        train(config("run"), false);
        FAIL() << "the second run was not refused";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::configuration);
        EXPECT_NE(std::string(error.what()).find("holds a run already (30 updates)"), std::string::npos)
            << error.what();
        EXPECT_NE(std::string(error.what()).find("--resume"), std::string::npos);
    }
    EXPECT_EQ(read_bytes(at("run") / "model.safetensors"), before);
}

TEST_F(Training, a_missing_file_shows_before_anything_is_made) {
    Config run = config("run");
    run.data.valid_target = at("absent");
    EXPECT_NE(fault(ExitCode::data, [&] { train(run, false); }).find("absent"), std::string::npos);
    EXPECT_FALSE(fs::exists(at("run")));
}

// In the middle of an epoch and at its end, in the records and in the files.
TEST_F(Training, epochs_are_counted_in_one_way) {
    Config run = config("run");
    run.validation.unit = IntervalUnit::updates;
    run.validation.every = 5;  // an epoch has 15 updates
    run.runtime.log_every = 5;
    run.checkpoints.keep_best = 6;
    train(run, false);
    std::map<std::int64_t, std::int64_t> validated;
    for (const nlohmann::json& record : metrics("run")) {
        const std::int64_t update = record["update"];
        EXPECT_EQ(record["epoch"], (update + 14) / 15) << record.dump();
        if (record["type"] == "validation") {
            validated[update] = record["epoch"];
        }
    }
    EXPECT_EQ(validated, (std::map<std::int64_t, std::int64_t>{{5, 1}, {10, 1}, {15, 1}, {20, 2}, {25, 2}, {30, 2}}));
    for (const auto& [update, epoch] : validated) {
        const auto metadata =
            read_safetensors_metadata(at("run") / "checkpoints" / ("best-" + std::to_string(update) + ".safetensors"));
        EXPECT_EQ(metadata.at("update"), std::to_string(update));
        EXPECT_EQ(metadata.at("epoch"), std::to_string(epoch));
        for (const char* score : {"cross_entropy", "bleu", "chrf", "chrf++", "ter", "cer", "wer"}) {
            EXPECT_EQ(metadata.count(score), 1U) << score;
        }
    }
}

TEST_F(Training, keeps_the_last_and_the_best_checkpoints) {
    Config run = config("run");
    run.training.max_epochs = 6;
    run.checkpoints.keep_best = 2;
    run.checkpoints.keep_last = 3;
    run.checkpoints.every_updates = 4;
    const TrainingResult result = train(run, false);
    std::vector<std::string> best;
    std::vector<std::string> last;
    for (const fs::directory_entry& entry : fs::directory_iterator(at("run") / "checkpoints")) {
        const std::string name = entry.path().filename();
        (name.rfind("best-", 0) == 0 ? best : last).push_back(name);
    }
    EXPECT_EQ(best.size(), 2U);
    EXPECT_EQ(last.size(), 3U);
    ASSERT_EQ(result.state.best.size(), 2U);
    EXPECT_GE(result.state.best[0].score, result.state.best[1].score);
    const std::string first = "best-" + std::to_string(result.state.best[0].update) + ".safetensors";
    EXPECT_EQ(read_bytes(at("run") / "checkpoints" / first), read_bytes(at("run") / "model.safetensors"));
}

TEST_F(Training, refuses_a_validation_line_that_is_too_long_to_score) {
    std::string line;
    for (int i = 0; i < 11000; ++i) {
        line += "alpha ";
    }
    for (const char* side : {"valid.src", "valid.tgt"}) {
        std::ofstream(at(side), std::ios::app) << line << "\n";
    }
    const std::string message = fault(ExitCode::data, [&] { train(config("run"), false); });
    EXPECT_TRUE(has(message, "valid.src:31: 11000 source and 11000 target pieces")) << message;
}

TEST_F(Training, separate_and_given_vocabularies) {
    Config run = config("separate");
    run.vocabulary.joint = false;
    run.vocabulary.target_size = 19;
    train(run, false);
    EXPECT_TRUE(fs::exists(at("separate") / "source.spm"));
    EXPECT_TRUE(fs::exists(at("separate") / "target.spm"));
    Config given = config("given");
    given.vocabulary.joint = false;
    given.vocabulary.source_model = at("separate") / "source.spm";
    given.vocabulary.target_model = at("separate") / "target.spm";
    train(given, false);
    EXPECT_EQ(read_bytes(at("given") / "target.spm"), read_bytes(at("separate") / "target.spm"));
    // A model directory is self-contained: it can be moved, and its corpora may go.
    fs::rename(at("given"), at("moved"));
    fs::remove(at("train.src"));
    EXPECT_NO_THROW(load_model(at("moved"), at::kCPU));
}

TEST_F(Training, dry_run_tells_the_size_of_the_work_and_writes_nothing) {
    const std::string text = dry_run(config("run"));
    EXPECT_NE(text.find("all parameters"), std::string::npos);
    EXPECT_NE(text.find("300 sentence pairs of 300"), std::string::npos) << text;
    EXPECT_NE(text.find("15 batches and 15 updates per epoch"), std::string::npos) << text;
    EXPECT_NE(text.find("MiB at the peak"), std::string::npos);
    EXPECT_FALSE(fs::exists(at("run")));
}

}  // namespace
}  // namespace softalign

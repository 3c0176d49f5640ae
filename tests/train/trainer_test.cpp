#include "train/trainer.h"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "base/file_lock.h"
#include "base/random.h"
#include "data/corpus.h"
#include "metrics/bleu.h"
#include "storage/temporary_directory.h"
#include "train/stop_signal.h"
#include "translate/batch_translator.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// A corpus whose target is the source backwards: it cannot be learnt without attention to the right place.
void write_corpus(const fs::path& folder, const std::string& name, int lines, std::uint64_t key) {
    const std::vector<std::string> words{"alpha", "bravo", "delta", "echo", "golf", "hotel", "india", "kilo"};
    Random random(key);
    std::ofstream source(folder / (name + ".src"));
    std::ofstream target(folder / (name + ".tgt"));
    for (int i = 0; i < lines; ++i) {
        std::string forward;
        std::string backward;
        for (std::uint64_t n = random.below(4) + 1; n > 0; --n) {
            const std::string& word = words[random.below(words.size())];
            forward = forward.empty() ? word : forward + " " + word;
            backward = backward.empty() ? word : word + " " + backward;
        }
        source << forward << "\n";
        target << backward << "\n";
    }
}

class Training : public InTemporaryDirectory {
protected:
    void SetUp() override {
        InTemporaryDirectory::SetUp();
        spdlog::set_level(spdlog::level::off);
        write_corpus(directory_, "train", 300, 1);
        write_corpus(directory_, "valid", 30, 2);
    }

    fs::path at(const std::string& name) const { return path(name); }

    Config config(const std::string& run) const {
        Config config;
        config.data.train_source = {at("train.src")};
        config.data.train_target = {at("train.tgt")};
        config.data.valid_source = at("valid.src");
        config.data.valid_target = at("valid.tgt");
        config.vocabulary.type = VocabularyType::word;
        config.vocabulary.size = 20;
        config.model.embedding_size = 16;
        config.model.encoder.hidden_size = 16;
        config.model.decoder.hidden_size = 16;
        config.model.attention.size = 16;
        config.model.dropout.output = 0.1;
        config.training.batch_size = 20;
        config.training.optimizer.learning_rate = 0.01;
        config.training.max_epochs = 2;
        config.training.ema = 0.9;
        config.checkpoints.directory = at(run);
        config.runtime.workers = 2;
        config.runtime.log_level = LogLevel::error;
        return config;
    }

    std::vector<nlohmann::json> metrics(const std::string& run) const {
        std::ifstream file(at(run) / "metrics.jsonl");
        std::vector<nlohmann::json> records;
        for (std::string line; std::getline(file, line);) {
            nlohmann::json record = nlohmann::json::parse(line);
            for (const char* clock : {"minutes", "seconds", "tokens_per_second"}) {
                record.erase(clock);
            }
            records.push_back(record);
        }
        return records;
    }
};

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
    const auto found = translate(*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer, sources,
                                 translate_options(loaded.config.search));
    std::vector<std::string> texts;
    for (const auto& best : found) {
        texts.push_back(best.front().text);
    }
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
    set_weights(other, weights_path(at("run")));
    const auto best_of = [&](const Seq2Seq& model) {
        return translate(model, *loaded.source_tokenizer, *loaded.target_tokenizer, {"alpha bravo delta"},
                         translate_options(loaded.config.search))
            .front()
            .front()
            .text;
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
    EXPECT_EQ(read_file(at("parts") / "model.safetensors"), read_file(at("whole") / "model.safetensors"));
}

TEST_F(Training, the_same_seed_gives_the_same_run_on_any_number_of_workers) {
    Config one = config("one");
    one.runtime.workers = 1;
    one.runtime.prefetch = 1;
    train(one, false);
    Config three = config("three");
    three.runtime.workers = 3;
    train(three, false);
    EXPECT_EQ(read_file(at("one") / "model.safetensors"), read_file(at("three") / "model.safetensors"));
    EXPECT_EQ(metrics("one"), metrics("three"));
    Config other = config("other");
    other.training.seed = 2;
    train(other, false);
    EXPECT_NE(read_file(at("one") / "model.safetensors"), read_file(at("other") / "model.safetensors"));
}

TEST_F(Training, refuses_a_directory_that_holds_a_run) {
    train(config("run"), false);
    const std::string before = read_file(at("run") / "model.safetensors");
    try {
        train(config("run"), false);
        FAIL() << "the second run was not refused";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::configuration);
        EXPECT_NE(std::string(error.what()).find("holds a run already (30 updates)"), std::string::npos)
            << error.what();
        EXPECT_NE(std::string(error.what()).find("--resume"), std::string::npos);
    }
    EXPECT_EQ(read_file(at("run") / "model.safetensors"), before);
}

TEST_F(Training, a_missing_file_shows_before_anything_is_made) {
    Config run = config("run");
    run.data.valid_target = at("absent");
    EXPECT_NE(fault(ExitCode::data, [&] { train(run, false); }).find("absent"), std::string::npos);
    EXPECT_FALSE(fs::exists(at("run")));
}

TEST_F(Training, resume_refuses_another_model) {
    train(config("run"), false);
    Config other = config("run");
    other.model.decoder.hidden_size = 20;
    try {
        train(other, true);
        FAIL() << "a model of another size was resumed";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::model);
        EXPECT_NE(std::string(error.what()).find("another shape"), std::string::npos) << error.what();
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
    EXPECT_EQ(read_file(at("run") / "checkpoints" / first), read_file(at("run") / "model.safetensors"));
}

TEST_F(Training, stops_early_when_the_metric_no_longer_gains) {
    for (const Metric metric : {Metric::bleu, Metric::chrf_plus_plus, Metric::ter, Metric::cross_entropy}) {
        Config run = config("early" + std::to_string(static_cast<int>(metric)));
        run.training.max_epochs = 50;
        run.training.optimizer.learning_rate = 1e-12;  // nothing is learnt, so nothing gains
        run.training.ema = 0.0;
        run.validation.metric = metric;
        run.validation.patience = 2;
        const TrainingResult result = train(run, false);
        EXPECT_LE(result.state.epoch, 12);
        EXPECT_EQ(result.reason, StopReason::patience);
        EXPECT_EQ(result.state.validations_without_gain, 2);
    }
}

TEST_F(Training, validates_every_so_many_updates_and_at_the_end) {
    Config run = config("run");
    run.validation.unit = IntervalUnit::updates;
    run.validation.every = 7;
    run.training.max_updates = 17;
    run.training.max_epochs = 0;
    train(run, false);
    std::vector<std::int64_t> updates;
    for (const nlohmann::json& record : metrics("run")) {
        if (record["type"] == "validation") {
            updates.push_back(record["update"]);
            EXPECT_EQ(record["bleu_signature"].get<std::string>().rfind("nrefs:1|case:mixed", 0), 0U);
            EXPECT_EQ(record["chrf++_signature"], "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0");
            EXPECT_GE(record["ter"].get<double>(), 0.0);
        }
    }
    EXPECT_EQ(updates, (std::vector<std::int64_t>{7, 14, 17}));
}

TEST_F(Training, max_minutes_ends_a_run) {
    Config run = config("run");
    run.training.max_epochs = 0;
    run.training.max_minutes = 1e-9;
    EXPECT_EQ(train(run, false).reason, StopReason::max_minutes);
    EXPECT_TRUE(fs::exists(at("run") / "model.safetensors"));
}

TEST_F(Training, a_signal_saves_and_resume_goes_on) {
    const StopSignal outer;
    Config run = config("run");
    run.training.max_epochs = 0;
    run.training.max_updates = 1000000;
    run.data.valid_source.clear();
    run.data.valid_target.clear();
    run.validation.metric = Metric::cross_entropy;
    std::thread killer([this] {
        // The log of metrics shows that updates are being done.
        while (!fs::exists(at("run") / "metrics.jsonl") || fs::file_size(at("run") / "metrics.jsonl") == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        std::raise(SIGTERM);
    });
    run.runtime.log_every = 1;
    const TrainingResult result = train(run, false);
    killer.join();
    EXPECT_EQ(result.reason, StopReason::signal);
    EXPECT_GT(result.state.update, 0);
    EXPECT_TRUE(fs::exists(at("run") / "model.safetensors"));
    run.training.max_updates = result.state.update + 2;
    EXPECT_EQ(train(run, true).state.update, result.state.update + 2);
}

TEST_F(Training, a_diverging_run_is_given_up_with_advice) {
    Config run = config("run");
    run.training.optimizer.type = OptimizerType::sgd;
    run.training.optimizer.learning_rate = 1e38;  // weights overflow within a few updates
    run.training.clip_norm = 0.0;
    run.training.max_epochs = 100;
    run.validation.every = 1000;
    try {
        train(run, false);
        FAIL() << "the run was not given up";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::numerical);
        EXPECT_NE(std::string(error.what()).find("learning_rate"), std::string::npos) << error.what();
    }
}

TEST_F(Training, goes_back_with_a_lower_rate_where_that_is_asked_for) {
    Config run = config("run");
    run.training.optimizer.type = OptimizerType::sgd;
    run.training.optimizer.learning_rate = 1e38;
    run.training.clip_norm = 0.0;
    run.training.divergence.updates = 3;
    run.training.divergence.action = DivergenceAction::go_back;
    run.training.divergence.rate_factor = 1e-39;
    run.training.max_epochs = 1;
    run.data.valid_source.clear();
    run.data.valid_target.clear();
    run.validation.metric = Metric::cross_entropy;
    // A good start, and then a rate that is far too high.
    Config start = run;
    start.training.optimizer.learning_rate = 0.1;
    start.training.max_updates = 4;
    train(start, false);
    const TrainingResult result = train(run, true);
    EXPECT_EQ(result.reason, StopReason::max_epochs);
    EXPECT_EQ(result.state.times_back, 1);
    EXPECT_EQ(result.state.rate_factor, 1e-39);
    EXPECT_GE(result.state.bad_in_all, 3);
    EXPECT_EQ(result.state.bad_in_a_row, 0);

    // What was reached is whole, and the next run knows of it.
    run.training.max_epochs = 2;
    const TrainingResult more = train(run, true);
    EXPECT_EQ(more.state.times_back, 1);
    EXPECT_EQ(more.state.rate_factor, 1e-39);

    // So often and no more.
    Config again = run;
    again.checkpoints.directory = at("again");
    again.training.divergence.rate_factor = 0.9;
    again.training.divergence.times = 2;
    start.checkpoints.directory = at("again");
    train(start, false);
    EXPECT_NE(fault(ExitCode::numerical, [&] { train(again, true); }).find("3 updates in a row"), std::string::npos);
}

TEST_F(Training, falls_back_to_the_checkpoint_before_a_damaged_one) {
    Config whole = config("whole");
    whole.training.max_updates = 20;
    whole.validation.every = 100;
    train(whole, false);

    Config run = whole;
    run.checkpoints.directory = at("run");
    run.checkpoints.every_updates = 5;
    run.training.max_updates = 10;
    train(run, false);
    const fs::path newest = at("run") / "checkpoints" / "last-10.safetensors";
    ASSERT_TRUE(fs::exists(newest));
    ASSERT_TRUE(fs::exists(at("run") / "checkpoints" / "last-5.safetensors"));
    {
        std::fstream file(newest, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(-3, std::ios::end);
        file.put('x');
    }
    run.training.max_updates = 20;
    train(run, true);
    EXPECT_EQ(read_file(at("run") / "model.safetensors"), read_file(at("whole") / "model.safetensors"));
    EXPECT_EQ(metrics("run"), metrics("whole"));

    // None left: said, and nothing is overwritten.
    for (const fs::directory_entry& entry : fs::directory_iterator(at("run") / "checkpoints")) {
        fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
    }
    run.training.max_updates = 30;
    const std::string message = fault(ExitCode::model, [&] { train(run, true); });
    EXPECT_NE(message.find("no checkpoint is left to go on from"), std::string::npos) << message;
}

TEST_F(Training, a_directory_is_for_one_process_at_a_time) {
    const Config run = config("run");
    fs::create_directories(at("run"));
    const FileLock lock((at("run") / "lock").string());
    const std::string message = fault(ExitCode::output, [&] { train(run, false); });
    EXPECT_NE(message.find("is training into this directory"), std::string::npos) << message;
    EXPECT_FALSE(fs::exists(at("run") / "config.yaml"));
}

// A directory in the way of the file that a save is renamed to: saving fails, training does not, and the next save
// works.
TEST_F(Training, outlasts_a_save_that_fails) {
    Config whole = config("whole");
    whole.training.max_updates = 20;
    whole.validation.every = 100;
    whole.checkpoints.every_updates = 5;
    train(whole, false);

    Config run = whole;
    run.checkpoints.directory = at("run");
    fs::create_directories(at("run") / "checkpoints" / "last-5.safetensors" / "in the way");
    train(run, false);
    EXPECT_EQ(read_file(at("run") / "model.safetensors"), read_file(at("whole") / "model.safetensors"));
    EXPECT_TRUE(fs::is_regular_file(at("run") / "checkpoints" / "last-20.safetensors"));
}

// No room for anything longer than some bytes, as on a full disk.
TEST_F(Training, says_so_where_the_end_of_a_run_finds_no_room) {
    Config run = config("run");
    run.training.max_updates = 4;
    run.data.valid_source.clear();
    run.data.valid_target.clear();
    run.validation.metric = Metric::cross_entropy;
    train(run, false);
    const std::string before = read_file(at("run") / "checkpoints" / "last-4.safetensors");

    run.training.max_updates = 8;
    rlimit room{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &room), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{20000, room.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    const std::string message = fault(ExitCode::output, [&] { train(run, true); });
    ::setrlimit(RLIMIT_FSIZE, &room);
    std::signal(SIGXFSZ, handler);
    EXPECT_NE(message.find("--resume"), std::string::npos) << message;
    EXPECT_EQ(read_file(at("run") / "checkpoints" / "last-4.safetensors"), before);

    const TrainingResult result = train(run, true);
    EXPECT_EQ(result.state.update, 8);
    Config whole = run;
    whole.checkpoints.directory = at("whole");
    train(whole, false);
    EXPECT_EQ(read_file(at("run") / "model.safetensors"), read_file(at("whole") / "model.safetensors"));
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
    EXPECT_EQ(read_file(at("given") / "target.spm"), read_file(at("separate") / "target.spm"));
    // A model directory is self-contained: it can be moved, and its corpora may go.
    fs::rename(at("given"), at("moved"));
    fs::remove(at("train.src"));
    EXPECT_NO_THROW(load_model(at("moved"), at::kCPU));
}

TEST_F(Training, dry_run_tells_the_size_of_the_work_and_writes_nothing) {
    const std::string text = dry_run(config("run"));
    EXPECT_NE(text.find("all parameters"), std::string::npos);
    EXPECT_NE(text.find("300 sentence pairs of 300"), std::string::npos) << text;
    EXPECT_NE(text.find("15 batches and 15 updates an epoch"), std::string::npos) << text;
    EXPECT_NE(text.find("MiB at the peak"), std::string::npos);
    EXPECT_FALSE(fs::exists(at("run")));
}

}  // namespace
}  // namespace softalign

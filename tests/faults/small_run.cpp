#include "faults/small_run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <system_error>

#include "base/error.h"
#include "platform/device.h"
#include "platform/process.h"
#include "storage/model_directory.h"
#include "storage/safetensors.h"
#include "text/trained_vocabulary.h"
#include "train/metrics_records.h"
#include "train/trainer.h"
#include "translate/batch_translator.h"

namespace softalign::faults {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t updates_before = 6;  // the rate is too high from then on
constexpr std::int64_t updates_in_all = 14;

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> files_below(const std::string& folder) {
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            names.insert(fs::relative(entry.path(), folder).string());
        }
    }
    return names;
}

std::int64_t newest_checkpoint(const std::string& run) {
    std::int64_t newest = -1;
    std::error_code absent;
    for (const fs::directory_entry& entry : fs::directory_iterator(run + "/checkpoints", absent)) {
        long update = 0;
        int end = 0;
        const std::string name = entry.path().filename().string();
        if (std::sscanf(name.c_str(), "last-%ld.safetensors%n", &update, &end) == 1 &&
            end == static_cast<int>(name.size())) {
            newest = std::max<std::int64_t>(newest, update);
        }
    }
    return newest;
}

void remove_older_checkpoints(std::set<std::string>& names, std::int64_t update) {
    const std::string newest = "checkpoints/last-" + std::to_string(update) + ".safetensors";
    for (auto name = names.begin(); name != names.end();) {
        const bool older =
            name->rfind("checkpoints/last-", 0) == 0 && *name != newest && name->find(".tmp") == std::string::npos;
        name = older ? names.erase(name) : std::next(name);
    }
}

bool same_tensors(const TensorFile& a, const TensorFile& b) {
    return a.tensors.size() == b.tensors.size() &&
           std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), [](const auto& x, const auto& y) {
               return x.first == y.first && x.second.sizes() == y.second.sizes() &&
                      x.second.nbytes() == y.second.nbytes() &&
                      std::memcmp(x.second.data_ptr(), y.second.data_ptr(), x.second.nbytes()) == 0;
           });
}

// What a checkpoint says of its run, but for the clock.
nlohmann::json state_of(const TensorFile& file) {
    auto state = nlohmann::json::parse(file.metadata.at("run_state"));
    state.erase("minutes");
    return state;
}

std::string difference_of_checkpoints(const std::string& a, const std::string& b) {
    const TensorFile one = read_safetensors(a);
    const TensorFile other = read_safetensors(b);
    if (state_of(one) != state_of(other)) {
        return "run state " + state_of(one).dump() + " instead of " + state_of(other).dump();
    }
    return same_tensors(one, other) ? "" : "tensors";
}

std::string difference_of_records(const std::string& a, const std::string& b) {
    const auto one = metrics_without_clocks(a);
    const auto other = metrics_without_clocks(b);
    for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
        if (one[i] != other[i]) {
            return "record " + std::to_string(i + 1) + ": " + one[i].dump() + " instead of " + other[i].dump();
        }
    }
    return one.size() == other.size()
               ? ""
               : std::to_string(one.size()) + " records instead of " + std::to_string(other.size());
}

}  // namespace

void SmallRun::prepare() const {
    const std::array<const char*, 5> words = {"a", "b", "cd", "ef", "gh"};
    std::ofstream source(path("train.src"));
    std::ofstream target(path("train.tgt"));
    std::ofstream alignments(path("train.align"));
    for (std::size_t i = 0; i < 20; ++i) {  // 5 batches of 4, which are 3 updates
        source << words[i % 5] << " " << words[i * 7 % 3] << "\n";
        target << words[i * 7 % 3] << " " << words[i % 5] << "\n";
        alignments << "0-1 1-0\n";
    }
    std::ofstream(path("valid.src")) << "a ef\ngh\n";
    std::ofstream(path("valid.tgt")) << "ef a\ngh\n";
    source.close();
    target.close();
    VocabularyConfig vocabulary;
    train_vocabulary({path("train.src")}, vocabulary, 16, path("given.spm"), BadLine::error);
}

Config SmallRun::config(const std::string& name) const {
    Config config;
    config.data.train_source = {path("train.src")};
    config.data.train_target = {path("train.tgt")};
    config.data.alignments = {path("train.align")};
    config.data.valid_source = path("valid.src");
    config.data.valid_target = path("valid.tgt");
    config.vocabulary.source_model = path("given.spm");
    config.vocabulary.sampling_alpha = 0.5;
    config.model.embedding_size = 4;
    config.model.encoder.hidden_size = 4;
    config.model.decoder.hidden_size = 4;
    config.model.decoder.readout = ReadoutType::maxout;  // without bounds, so that large weights overflow
    config.model.attention.size = 4;
    config.model.dropout.output = 0.2;
    config.training.batch_size = 4;
    config.training.accumulate = 2;
    config.training.shards = 1;
    config.training.ema = 0.9;
    config.training.optimizer.type = OptimizerType::adamw;
    config.training.optimizer.weight_decay = 1.0;
    config.training.optimizer.learning_rate = 0.05;
    config.training.divergence.action = DivergenceAction::go_back;
    config.training.divergence.updates = 3;
    config.training.divergence.rate_factor = 1e-8;
    config.training.max_updates = updates_in_all;
    config.search.beam = 2;
    config.search.max_length = 4;
    config.validation.unit = IntervalUnit::updates;
    config.validation.every = 3;
    config.validation.patience = 0;
    config.validation.metric = Metric::cross_entropy;
    config.checkpoints.directory = path(name);
    config.checkpoints.every_updates = 4;
    config.checkpoints.keep_best = 2;
    config.checkpoints.keep_last = 2;
    config.checkpoints.average = 2;
    config.checkpoints.average_of = AverageOf::last;
    config.report.html = false;
    config.runtime.workers = 1;
    config.runtime.log_every = 2;
    config.runtime.log_level = LogLevel::error;
    return config;
}

void SmallRun::finish(const std::string& name) const {
    Config config = this->config(name);
    if (newest_checkpoint(config.checkpoints.directory) < updates_before) {
        Config first = config;
        first.training.max_updates = updates_before;
        train(first, true);
    }
    config.training.optimizer.learning_rate = 1e6;  // two updates multiply the weights by 1e12
    train(config, true);
}

void SmallRun::translate(const std::string& name) const {
    const LoadedModel loaded = load_model(path(name), at::Device(at::kCPU));
    TranslateOptions options;
    options.workers = 1;
    softalign::best_texts(*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer, {"a ef"}, options);
}

std::string SmallRun::difference(const std::string& run, const std::string& whole, Saves saves) const {
    std::set<std::string> names = files_below(path(run));
    std::set<std::string> expected = files_below(path(whole));
    if (saves == Saves::some_failed) {  // the newest one is there, as all is saved at the end
        remove_older_checkpoints(names, newest_checkpoint(path(whole)));
        remove_older_checkpoints(expected, newest_checkpoint(path(whole)));
    }
    std::string text;
    for (const std::string& name : names) {
        text += expected.count(name) == 0 ? name + " is left over; " : "";
    }
    for (const std::string& name : expected) {
        const std::string one = path(run) + "/" + name;
        const std::string other = path(whole) + "/" + name;
        std::string differs;
        if (names.count(name) == 0) {
            differs = "missing";
        } else if (name == "metrics.jsonl") {
            differs = difference_of_records(one, other);
        } else if (name.rfind("checkpoints/last-", 0) == 0) {
            differs = difference_of_checkpoints(one, other);
        } else if (name == "config.yaml") {
            differs = "";  // it names its directory
        } else if (name != "lock" && name != "train.log" && read_file(one) != read_file(other)) {
            differs = "other bytes";
        }
        text += differs.empty() ? "" : name + ": " + differs + "; ";
    }
    return text;
}

bool Ending::killed() const {
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

bool Ending::exited_with(int code) const {
    return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

Ending in_own_process(const std::function<std::string()>& body) {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) {
        return {-1, "no pipe"};
    }
    std::fflush(nullptr);
    const pid_t process = ::fork();
    if (process == 0) {
        ::alarm(120);
        std::string text;
        int code = 0;
        try {
            set_up_thread();
            text = body();
        } catch (const Error& error) {
            text = error.what();
            code = static_cast<int>(error.code());
        } catch (const std::exception& error) {
            text = error.what();
            code = 1;
        }
        const ssize_t written = ::write(pipe[1], text.data(), std::min<std::size_t>(text.size(), 4096));
        ::_exit(written < 0 ? 1 : code);
    }
    ::close(pipe[1]);
    Ending ending;
    std::array<char, 4096> piece{};
    for (ssize_t count = 0; (count = ::read(pipe[0], piece.data(), piece.size())) > 0;) {
        ending.text.append(piece.data(), static_cast<std::size_t>(count));
    }
    ::close(pipe[0]);
    ::waitpid(process, &ending.status, 0);
    return ending;
}

}  // namespace softalign::faults

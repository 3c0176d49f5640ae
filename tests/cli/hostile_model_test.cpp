// Model directories from elsewhere: damaged, or made to do harm.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cli/program_outcome.h"
#include "storage/safetensors.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class HostileModel : public testing::Test {
protected:
    void SetUp() override {
        write_model(model_);
        fs::create_directory(elsewhere_);
    }

    Outcome translated() const { return run_here({"translate", "--model", model_, "--input", text_, "--quiet"}); }

    std::string part(const std::string& name) const { return (fs::path(model_) / name).string(); }

    // Writes something else in the place of a part.
    std::string put(const std::string& name, const std::string& bytes) const {
        fs::remove(part(name));
        return folder_.write("model/" + name, bytes);
    }

    // A file of this size that takes no room on the disk.
    void put_empty_of(const std::string& name, std::uintmax_t bytes) const {
        put(name, "");
        fs::resize_file(part(name), bytes);
    }

    void change_weights(const std::function<void(std::string& name, at::Tensor& tensor)>& change) const {
        TensorFile file = read_safetensors(part("model.safetensors"));
        for (auto& [name, tensor] : file.tensors) {
            tensor = tensor.clone();
            change(name, tensor);
        }
        write_safetensors(part("model.safetensors"), file);
    }

    TemporaryFolder folder_;
    const std::string model_ = folder_.path("model");
    const std::string elsewhere_ = folder_.path("elsewhere");
    const std::string text_ = folder_.write("text", joined(model_sentences));
};

const Arguments parts = {"config.yaml", "joint.spm", "model.safetensors"};

TEST_F(HostileModel, WeightsThatAreNotFiniteAreRefusedAndNamed) {
    const double infinity = std::numeric_limits<double>::infinity();
    const TensorFile whole = read_safetensors(part("model.safetensors"));
    for (const auto type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
        for (const double value : {std::nan(""), infinity, -infinity}) {
            SCOPED_TRACE(std::string(c10::toString(type)) + " " + std::to_string(value));
            write_safetensors(part("model.safetensors"), whole);
            change_weights([&](const std::string& name, at::Tensor& tensor) {
                tensor = tensor.to(type);
                if (name == "output_bias") {
                    tensor[tensor.size(0) - 1] = value;
                }
            });
            const std::string count = std::to_string(load_tokenizers(model_).target->size());
            expect_fault(translated(), ExitCode::model,
                         part("model.safetensors") + ": tensor \"output_bias\": number " + count + " of " + count +
                             (std::isnan(value) ? " is not a number (NaN)" : " is infinite") +
                             "; its training diverged or the file is damaged, use another checkpoint");
        }
    }
    const std::string message = "tensor \"output_bias\": number ";
    for (const Arguments& command : {Arguments{"score", "--model", model_, "--source", text_, "--target", text_},
                                     {"evaluate", "--model", model_, "--source", text_, "--references", text_},
                                     {"shortlist", "--model", model_, "--source", text_, "--target", text_},
                                     {"info", "--model", model_},
                                     {"quantize", "--model", model_, "--output", folder_.path("rounded")},
                                     {"average", "--output", folder_.path("mean.safetensors"),
                                      part("model.safetensors"), part("other.safetensors")}}) {
        SCOPED_TRACE(command.front());
        expect_fault(run_here(command), ExitCode::model, message);
    }
    EXPECT_FALSE(fs::exists(folder_.path("mean.safetensors")));
}

TEST_F(HostileModel, ResumingPassesOverACheckpointThatIsNotFinite) {
    Config config = small_model_config();
    config.data.train_source = {text_};
    config.data.train_target = {text_};
    config.checkpoints.directory = folder_.path("run");
    config.checkpoints.every_updates = 1;
    config.training.max_updates = 2;
    config.report.html = false;
    const std::string file = folder_.write("config.yaml", to_yaml(config));
    expect_success(run_here({"train", file}));
    const std::string checkpoint = config.checkpoints.directory + "/checkpoints/last-";
    const auto spoil = [&](const std::string& update) {
        TensorFile state = read_safetensors(checkpoint + update + ".safetensors");
        state.tensors.front().second = state.tensors.front().second.clone().fill_(std::nan(""));
        write_safetensors(checkpoint + update + ".safetensors", state);
    };
    spoil("2");
    const Arguments resume = {"train", file, "--resume", "--set", "training.max_updates=3"};
    const Outcome outcome = run_here(resume);
    expect_success(outcome);
    EXPECT_TRUE(has(outcome.err, "last-2.safetensors: tensor ")) << outcome.err;
    EXPECT_TRUE(has(outcome.err, " is not a number (NaN)")) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "going on from the checkpoint before: " + checkpoint + "1")) << outcome.err;
    spoil("2");
    spoil("3");
    expect_fault(run_here(resume), ExitCode::model, ": no checkpoint is left to go on from (");
}

TEST_F(HostileModel, TensorsOfAnotherShapeOrTypeAreRefusedAndNamed) {
    const TensorFile whole = read_safetensors(part("model.safetensors"));
    const std::string size = std::to_string(load_tokenizers(model_).target->size());
    const auto changed = [&](const std::function<at::Tensor(const at::Tensor&)>& change) {
        write_safetensors(part("model.safetensors"), whole);
        change_weights([&](const std::string& name, at::Tensor& tensor) {
            tensor = name == "output_bias" ? change(tensor) : tensor;
        });
        return translated();
    };
    expect_fault(changed([](const at::Tensor& bias) {
                     return at::cat({bias, bias});
                 }),
                 ExitCode::model, "tensor \"output_bias\" has the shape [");
    expect_fault(changed([](const at::Tensor& bias) { return bias.unsqueeze(0); }), ExitCode::model,
                 ", the model needs [" + size + "]");
    expect_fault(changed([](const at::Tensor& bias) { return bias.to(at::kLong); }), ExitCode::model,
                 "tensor \"output_bias\" is of dtype I64, the model needs a floating-point one");
    expect_fault(changed([](const at::Tensor& bias) { return bias.to(at::kBool); }), ExitCode::model,
                 "tensor \"output_bias\" is of dtype BOOL");
}

TEST_F(HostileModel, AVocabularyThatDoesNotFitIsRefused) {
    train_vocabulary_on({"one two three four five six seven eight nine ten"}, small_model_config().vocabulary, 9,
                        part("joint.spm"));
    expect_fault(translated(), ExitCode::model, "tensor \"source_embedding\" has the shape [");
}

// It would take 100 GB and more before its weights were looked at.
TEST_F(HostileModel, AConfigurationOfAModelThatNoMemoryHoldsIsRefused) {
    for (const std::string widths :
         {"encoder: {hidden_size: 65536, layers: 64}", "embedding_size: 65536\n  decoder: {hidden_size: 65536}",
          "encoder: {transition_depth: 64, layers: 64, hidden_size: 2048}"}) {
        SCOPED_TRACE(widths);
        put("config.yaml", "model:\n  " + widths + "\n");
        const Outcome outcome = translated();
        expect_fault(outcome, ExitCode::model, part("model.safetensors") + ": its tensors have ");
        expect_fault(outcome, ExitCode::model, "describe a model of far more; weights, config.yaml and vocabularies");
    }
}

// Training's paths are a record: a model is loaded without them, whatever they name.
TEST_F(HostileModel, NothingThatTheConfigurationNamesIsOpened) {
    const Outcome plain = translated();
    expect_success(plain);
    const std::string fifo = folder_.path("fifo");  // who opens it waits for ever
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    Config config = small_model_config();
    config.data.train_source = {fifo, "/dev/zero", "../../etc/passwd"};
    config.data.train_target = {fifo, "/dev/zero", "/no/such/file"};
    config.data.valid_source = fifo;
    config.data.valid_target = fifo;
    config.vocabulary.source_model = fifo;
    config.vocabulary.target_model = fifo;
    config.checkpoints.directory = elsewhere_;
    put("config.yaml", to_yaml(config));
    const Outcome outcome = run_alone(folder_, {"translate", "--model", model_, "--input", text_, "--quiet"});
    expect_success(outcome);
    EXPECT_EQ(outcome.out, plain.out);
    EXPECT_EQ(outcome.err, "");
    expect_success(run_alone(folder_, {"info", "--model", model_}));
    expect_success(run_alone(folder_, {"score", "--model", model_, "--source", text_, "--target", text_, "--quiet"}));
    EXPECT_TRUE(fs::is_empty(elsewhere_));
}

TEST_F(HostileModel, LinksThatLeadOutOfTheDirectoryAreRefused) {
    folder_.write("model/shortlist.txt", "softalign shortlist 1\n");
    Arguments all = parts;
    all.emplace_back("shortlist.txt");
    for (const std::string& name : all) {
        SCOPED_TRACE(name);
        const std::string moved = elsewhere_ + "/" + name;
        fs::rename(part(name), moved);
        fs::create_symlink("../elsewhere/" + name, part(name));
        const Outcome outcome =
            run_here({"translate", "--model", model_ + "/", "--input", text_, "--shortlist", "--quiet"});
        expect_fault(outcome, ExitCode::model,
                     ": a symbolic link that leads out of the model directory, to " + fs::canonical(moved).string() +
                         "; a model uses nothing outside its directory, put a copy of the file there");
        EXPECT_EQ(outcome.out, "");
        fs::remove(part(name));
        fs::rename(moved, part(name));
    }
}

TEST_F(HostileModel, LinksWithinTheDirectoryAndToItAreFollowed) {
    fs::create_directory(part("checkpoints"));
    for (const std::string& name : parts) {
        fs::rename(part(name), part("checkpoints/" + name));
        fs::create_symlink("checkpoints/" + name, part(name));
    }
    expect_success(translated());
    fs::create_directory_symlink("model", folder_.path("link"));
    expect_success(run_here({"translate", "--model", folder_.path("link"), "--input", text_, "--quiet"}));
}

TEST_F(HostileModel, PartsThatAreNoFilesAreRefusedAndNotWaitedFor) {
    for (const std::string& name : parts) {
        const std::string kept = folder_.path("kept");
        fs::rename(part(name), kept);
        for (const std::string kind : {"FIFO", "directory", "device", "broken link"}) {
            SCOPED_TRACE(name + " is a " + kind);
            if (kind == "FIFO") {
                ASSERT_EQ(::mkfifo(part(name).c_str(), 0600), 0);
            } else if (kind == "directory") {
                fs::create_directory(part(name));
            } else {
                fs::create_symlink(kind == "device" ? "/dev/zero" : "nowhere", part(name));
            }
            ::alarm(120);  // where it is waited for after all
            const Outcome outcome = translated();
            ::alarm(0);
            expect_fault(outcome, ExitCode::model,
                         kind == "broken link" ? "model directory " + model_ + " has no "
                                               : part(name) + ": it is not a regular file");
            fs::remove(part(name));
        }
        fs::rename(kept, part(name));
    }
}

TEST_F(HostileModel, AVocabularyThatIsNoneIsRefused) {
    std::string noise(20000, '\0');
    std::mt19937 generator(7);
    for (char& byte : noise) {
        byte = static_cast<char>(generator());
    }
    const std::string whole = read_bytes(part("joint.spm"));
    const std::string no_model = part("joint.spm") + ": is not a SentencePiece model";
    for (const std::string& bytes : {std::string(), std::string("the\ncat\n"), std::string(9999, '\0'), noise,
                                     whole.substr(0, whole.size() / 2), whole + noise, gzip(noise)}) {
        SCOPED_TRACE(std::to_string(bytes.size()) + " bytes");
        put("joint.spm", bytes);
        expect_fault(translated(), ExitCode::model, no_model);
    }
    const std::string too_large = part("joint.spm") + ": larger than 64 MiB, too large for a vocabulary";
    put_empty_of("joint.spm", std::uintmax_t{100} << 30);
    expect_fault(translated(), ExitCode::model, too_large);
    put("joint.spm", gzip(std::string((std::size_t{1} << 26) + 1, 'x')));
    expect_fault(translated(), ExitCode::model, too_large);
}

TEST_F(HostileModel, AConfigurationThatIsNoneIsRefused) {
    std::string bomb = "model: &a [x, x]\n";
    for (char level = 'b'; level < 'z'; ++level) {
        bomb += std::string(1, level) + ": &" + level + " [*" + static_cast<char>(level - 1) + ", *" +
                static_cast<char>(level - 1) + "]\n";
    }
    const std::vector<std::pair<std::string, std::string>> cases = {
        {bomb, "config.yaml:1:8: YAML anchors and aliases (& and *) are not used here"},
        {"", "config.yaml: holds no key"},
        {std::string("model: {}\n\0", 11), "config.yaml:2:1: a control character"},
        {std::string(100000, '{'), "config.yaml:1:"},
        {"softalign shortlist 1\n", "config.yaml:1:1: a configuration is a map of sections"},
        {"\x1F\x8B\x08\x00", "config.yaml:1:1: a control character"},
        {"? \"\\e]0;owned\\a\\e[31m\"\n: 1\n", "config.yaml:1:3: unknown key "},
    };
    for (const auto& [yaml, message] : cases) {
        SCOPED_TRACE(yaml.substr(0, 30));
        put("config.yaml", yaml);
        const Outcome outcome = translated();
        expect_fault(outcome, ExitCode::configuration, message);
        EXPECT_FALSE(has(outcome.err, "\x1B")) << "escapes of the file reach the terminal";
    }
    put_empty_of("config.yaml", std::uintmax_t{100} << 30);
    expect_fault(translated(), ExitCode::configuration,
                 "config.yaml: larger than 1 MiB, too large for a configuration");
}

TEST_F(HostileModel, AReportWaitsForNothingThatARunNames) {
    const std::string fifo = folder_.path("fifo");
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    ASSERT_EQ(::mkfifo(part("metrics.jsonl").c_str(), 0600), 0);
    Config config = small_model_config();
    config.data.valid_source = fifo;
    config.data.valid_target = "/dev/zero";
    put("config.yaml", to_yaml(config));
    const Outcome outcome = run_alone(folder_, {"report", model_});
    expect_success(outcome);
    EXPECT_TRUE(has(outcome.err, "metrics.jsonl: a pipe or a device, not a file of records")) << outcome.err;
    EXPECT_TRUE(has(outcome.err, fifo + " is not a regular file")) << outcome.err;
    EXPECT_TRUE(fs::exists(part("report.html")));
}

}  // namespace
}  // namespace softalign

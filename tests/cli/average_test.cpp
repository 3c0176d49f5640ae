#include <unistd.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "cli/run_command.h"
#include "config/load.h"
#include "storage/model_directory.h"
#include "storage/safetensors.h"

namespace softalign {
namespace {

class AverageCommand : public testing::Test {
protected:
    void SetUp() override {
        directory_ =
            (std::filesystem::temp_directory_path() / ("softalign_average_" + std::to_string(::getpid()))).string();
        std::filesystem::create_directories(directory_);
        write_safetensors(path("a.safetensors"), {{{"w", at::tensor({1.0F})}}, {}});
        write_safetensors(path("b.safetensors"), {{{"w", at::tensor({2.0F})}}, {}});
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::string path(const std::string& name) const { return directory_ + "/" + name; }

    static std::string run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "average");
        return output_of(&add_average_command, arguments);
    }

    static std::string usage_fault(const std::vector<std::string>& arguments) {
        try {
            run(arguments);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            return error.what();
        }
        return "no error";
    }

    static std::string content_of(const std::string& file) {
        std::ifstream stream(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    std::string directory_;
};

TEST_F(AverageCommand, AveragesFilesAndSaysWhich) {
    const std::string out = run({"--output", path("mean.safetensors"), path("a.safetensors"), path("b.safetensors")});
    EXPECT_EQ(out, "averaged 1 tensor of 2 checkpoints:\n  " + path("a.safetensors") + "\n  " + path("b.safetensors") +
                       "\nwrote " + path("mean.safetensors") + "\n");
    EXPECT_FLOAT_EQ(read_safetensors(path("mean.safetensors")).tensors[0].second.item<float>(), 1.5F);
}

TEST_F(AverageCommand, WantsFilesOrAModel) {
    const std::string message = "average takes either checkpoint files, or --model DIR for the best ones of a training";
    EXPECT_EQ(usage_fault({"--output", path("mean.safetensors")}), message);
    EXPECT_EQ(usage_fault({"--output", path("mean.safetensors"), "--model", directory_, path("a.safetensors")}),
              message);
}

TEST_F(AverageCommand, ADirectoryNeedsAModel) {
    EXPECT_EQ(usage_fault({"--output", path("mean"), path("a.safetensors")}),
              "--output " + path("mean") +
                  ": name a file that ends in .safetensors; a model directory can be written with --model alone");
}

// A checkpoint that the average is not of, and model.safetensors.
TEST_F(AverageCommand, RefusesToOverwriteTheTrainingThatItAverages) {
    namespace fs = std::filesystem;
    write_file_atomically(config_path(directory_), to_yaml(Config()));
    fs::create_directories(path("checkpoints"));
    for (const char* update : {"10", "20"}) {
        const TensorFile file{{{"w", at::tensor({1.0F})}}, {{"bleu", update}, {"cross_entropy", "1.0"}}};
        write_safetensors(path("checkpoints/best-") + update + ".safetensors", file);
        write_safetensors(path("checkpoints/last-") + update + ".safetensors", file);
        write_safetensors(weights_path(directory_), file);
    }
    for (const char* part :
         {"checkpoints/best-10.safetensors", "checkpoints/last-20.safetensors", "model.safetensors"}) {
        const std::string before = content_of(path(part));
        EXPECT_EQ(usage_fault({"--model", directory_, "--best", "1", "--output", path(part)}),
                  "--output " + path(part) + " is a file that --model reads; give it another name");
        EXPECT_EQ(content_of(path(part)), before);
    }
    const std::string other = path("checkpoints/best-30.safetensors");
    EXPECT_EQ(usage_fault({"--model", directory_, "--best", "1", "--output", other}),
              "--output " + other + " is in the folder of the training's checkpoints; write it to another");
    EXPECT_FALSE(fs::exists(other));
    run({"--model", directory_, "--best", "1", "--output", path("mean.safetensors")});
    EXPECT_TRUE(fs::exists(path("mean.safetensors")));
}

TEST_F(AverageCommand, FaultsOfTheOutputAreFoundBeforeTheCheckpointsAreRead) {
    try {
        run({"--output", path("absent/mean.safetensors"), path("no.safetensors")});
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::output) << error.what();
    }
}

}  // namespace
}  // namespace softalign

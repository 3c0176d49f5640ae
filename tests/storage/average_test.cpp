#include "storage/average.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "config/load.h"
#include "storage/model_directory.h"
#include "storage/temporary_directory.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class Average : public InTemporaryDirectory {
protected:
    std::string write(const std::string& name, const TensorFile& file) const {
        write_safetensors(path(name), file);
        return path(name);
    }
    std::string average_fault(const TensorFile& first, const TensorFile& second) const {
        const std::string message = fault(ExitCode::model, [&] {
            average_checkpoints({write("a", first), write("b", second)});
        });
        const std::string end = "; only checkpoints of one model can be averaged";
        EXPECT_EQ(message.rfind(path("b") + ": ", 0), 0U) << message;
        EXPECT_NE(message.find(end), std::string::npos) << message;
        return message.substr(path("b").size() + 2, message.size() - path("b").size() - 2 - end.size());
    }
};

TEST_F(Average, IsTheArithmeticMean) {
    const std::string a = write("a", {{{"w", at::tensor({1.0F, 2.0F})}, {"n", at::tensor({5}, at::kLong)}}, {}});
    const std::string b = write("b", {{{"n", at::tensor({5}, at::kLong)}, {"w", at::tensor({3.0F, 6.0F})}}, {}});
    const std::string c = write("c", {{{"w", at::tensor({5.0F, 1.0F})}, {"n", at::tensor({5}, at::kLong)}}, {}});
    const TensorFile mean = average_checkpoints({a, b, c});
    ASSERT_EQ(mean.tensors.size(), 2U);
    EXPECT_EQ(mean.tensors[0].first, "n");
    EXPECT_EQ(mean.tensors[0].second.item<std::int64_t>(), 5);
    EXPECT_TRUE(mean.tensors[1].second.equal(at::tensor({3.0F, 3.0F})));
    EXPECT_EQ(mean.metadata.at("averaged"), "a b c");
}

TEST_F(Average, OfOneFileIsThatFile) {
    const at::Tensor weight = at::randn({4, 4});
    EXPECT_TRUE(average_checkpoints({write("a", {{{"w", weight}}, {}})}).tensors[0].second.equal(weight));
}

TEST_F(Average, CheckpointsOfARunAreNotWeights) {
    const std::string last = write("last-7", {{{"model.w", at::ones({2})}}, {{"run_state", "{}"}}});
    const std::string message = fault(ExitCode::model, [&] { average_checkpoints({last}); });
    EXPECT_EQ(message.rfind(last + ": this is a checkpoint for train --resume", 0), 0U) << message;
}

TEST_F(Average, AccumulatesInDoublePrecision) {
    // In float32, 1e8 + 1 is 1e8.
    const std::string large = write("a", {{{"w", at::tensor({1e8F})}}, {}});
    const std::string one = write("b", {{{"w", at::tensor({1.0F})}}, {}});
    const std::string minus = write("c", {{{"w", at::tensor({-1e8F})}}, {}});
    EXPECT_FLOAT_EQ(average_checkpoints({large, one, one, minus}).tensors[0].second.item<float>(), 0.5F);
}

TEST_F(Average, DoesNotTouchDoublesOfTheFirstFile) {
    const std::string a = write("a", {{{"w", at::tensor({1.0}, at::kDouble)}}, {}});
    const std::string b = write("b", {{{"w", at::tensor({3.0}, at::kDouble)}}, {}});
    const TensorFile mean = average_checkpoints({a, b, a});
    EXPECT_EQ(mean.tensors[0].second.scalar_type(), at::kDouble);
    EXPECT_DOUBLE_EQ(mean.tensors[0].second.item<double>(), 5.0 / 3.0);
}

TEST_F(Average, RefusesWhatDoesNotFit) {
    const TensorFile first{{{"w", at::ones({2})}, {"n", at::ones({1}, at::kLong)}}, {}};
    EXPECT_EQ(average_fault(first, {{{"w", at::ones({2})}}, {}}),
              "tensor \"n\" is missing, which " + path("a") + " has");
    EXPECT_EQ(average_fault(first, {{{"w", at::ones({3})}, {"n", at::ones({1}, at::kLong)}}, {}}),
              "tensor \"w\" has another shape than in " + path("a"));
    EXPECT_EQ(average_fault(first, {{{"w", at::ones({2}, at::kDouble)}, {"n", at::ones({1}, at::kLong)}}, {}}),
              "tensor \"w\" has another dtype than in " + path("a"));
    EXPECT_EQ(average_fault(first, {{{"w", at::ones({2})}, {"n", at::zeros({1}, at::kLong)}}, {}}),
              "tensor \"n\" holds other integers than in " + path("a"));
    EXPECT_EQ(average_fault(first, {{{"w", at::ones({2})}, {"n", at::ones({1}, at::kLong)}, {"x", at::ones({1})}}, {}}),
              "tensor \"x\" is not in " + path("a"));
    EXPECT_EQ(fault(ExitCode::model, [&] { average_checkpoints({write("empty", {})}); }),
              path("empty") + ": there are no tensors in it; name a checkpoint that training wrote");
}

class BestCheckpoints : public Average {
protected:
    void SetUp() override {
        Average::SetUp();
        fs::create_directories(path("checkpoints"));
        write("checkpoints/best-100.safetensors", scored("30.5", "2.0"));
        write("checkpoints/best-200.safetensors", scored("9.5", "1.0"));
        write("checkpoints/best-300.safetensors", scored("31.0", "1.5"));
        write("checkpoints/last-300.safetensors", scored("99.0", "0.1"));
    }
    static TensorFile scored(const std::string& bleu, const std::string& cross_entropy) {
        return {{{"w", at::ones({1})}},
                {{"bleu", bleu},
                 {"cross_entropy", cross_entropy},
                 {"ter", cross_entropy},
                 {"cer", cross_entropy},
                 {"wer", cross_entropy}}};
    }
    void write_config(Metric metric) const {
        Config config;
        config.data.train_source = {"/x.en"};
        config.data.train_target = {"/x.de"};
        config.data.valid_source = "/v.en";
        config.data.valid_target = "/v.de";
        config.checkpoints.directory = "/m";
        config.validation.metric = metric;
        write_file_atomically(config_path(directory_), to_yaml(config));
    }
    std::vector<std::string> best(std::size_t count) const {
        std::vector<std::string> names;
        for (const std::string& file : best_checkpoints(directory_, count)) {
            names.push_back(fs::path(file).filename().string());
        }
        return names;
    }
};

TEST_F(BestCheckpoints, ByTheMetricOfTheTraining) {
    write_config(Metric::bleu);
    EXPECT_EQ(best(2), (std::vector<std::string>{"best-300.safetensors", "best-100.safetensors"}));
    EXPECT_EQ(best(0).size(), 3U);
    for (const Metric less_is_better : {Metric::perplexity, Metric::ter, Metric::cer, Metric::wer}) {
        write_config(less_is_better);
        EXPECT_EQ(best(1), std::vector<std::string>{"best-200.safetensors"});
    }
}

// As training ranks them.
TEST_F(BestCheckpoints, OfEqualOnesTheEarlierComesFirst) {
    write_config(Metric::bleu);
    for (const char* update : {"3", "12", "1000"}) {
        write(std::string("checkpoints/best-") + update + ".safetensors", scored("40.0", "1.0"));
    }
    EXPECT_EQ(best(3),
              (std::vector<std::string>{"best-3.safetensors", "best-12.safetensors", "best-1000.safetensors"}));
}

TEST_F(BestCheckpoints, FewerThanAskedFor) {
    write_config(Metric::bleu);
    EXPECT_EQ(fault(ExitCode::model, [&] { best(4); }),
              path("checkpoints") +
                  " has 3 checkpoints best-*.safetensors, not 4; checkpoints.keep_best in the training's config says "
                  "how many are kept");
    fs::remove_all(path("checkpoints"));
    EXPECT_EQ(fault(ExitCode::model, [&] { best(0); }),
              path("checkpoints") +
                  " has no checkpoints best-*.safetensors, which training writes when it validates; name the files to "
                  "average instead of --model");
}

TEST_F(BestCheckpoints, WithoutAScore) {
    write_config(Metric::bleu);
    write("checkpoints/best-400.safetensors", {{{"w", at::ones({1})}}, {}});
    EXPECT_EQ(fault(ExitCode::model, [&] { best(1); }),
              path("checkpoints/best-400.safetensors") +
                  ": its metadata have no score of validation.metric; name the files to average instead of --model");
}

TEST_F(BestCheckpoints, WritesANewModelDirectory) {
    write_config(Metric::bleu);
    std::ofstream(joint_vocabulary_path(directory_)) << "vocabulary";
    std::ofstream(shortlist_path(directory_)) << "shortlist";
    write_model_like(directory_, path("averaged"), scored("1", "2"));
    EXPECT_TRUE(fs::exists(config_path(path("averaged"))));
    EXPECT_TRUE(fs::exists(joint_vocabulary_path(path("averaged"))));
    EXPECT_TRUE(fs::exists(shortlist_path(path("averaged"))));
    EXPECT_EQ(read_safetensors(weights_path(path("averaged"))).tensors.size(), 1U);
    EXPECT_EQ(fault(ExitCode::output, [&] { write_model_like(directory_, path("averaged"), scored("1", "2")); }),
              path("averaged") + " exists already; name a new directory, or remove it first");
}

}  // namespace
}  // namespace softalign

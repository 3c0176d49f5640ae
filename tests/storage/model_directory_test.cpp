#include "storage/model_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "config/load.h"
#include "storage/safetensors.h"
#include "storage/temporary_directory.h"
#include "text/trained_vocabulary.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

Config small_config() {
    Config config;
    config.data.train_source = {"/no/longer/there.en"};
    config.data.train_target = {"/no/longer/there.de"};
    config.data.valid_source = "/no/longer/valid.en";
    config.data.valid_target = "/no/longer/valid.de";
    config.checkpoints.directory = "/no/longer/model";
    config.vocabulary.type = VocabularyType::word;
    config.model.embedding_size = 4;
    config.model.encoder.hidden_size = 3;
    config.model.decoder.hidden_size = 5;
    config.model.attention.size = 6;
    return config;
}

void write_vocabulary(const std::string& path, const std::vector<std::string>& sentences) {
    train_vocabulary_on(sentences, small_config().vocabulary, 100, path);
}

class ModelDirectory : public InTemporaryDirectory {
protected:
    void SetUp() override {
        InTemporaryDirectory::SetUp();
        model_ = path("model");
        fs::create_directory(model_);
        write_vocabulary(joint_vocabulary_path(model_), {"a small house", "the red car"});
        write_file_atomically(config_path(model_), to_yaml(small_config()));
        const std::int64_t size = load_tokenizers(model_).source->size();
        reference_ = std::make_shared<Seq2Seq>(small_config().model, VocabularySizes{size, size});
        reference_->initialize(7);
        save_weights(*reference_, weights_path(model_), {{"update", "12"}});
    }

    LoadedModel load() const { return load_model(model_, at::Device(at::kCPU)); }
    std::string load_fault() const {
        return fault(ExitCode::model, [this] { load(); });
    }

    // Reads the weights, lets them be changed, writes them back.
    template <typename Change>
    void change_weights(Change change) const {
        TensorFile file = read_safetensors(weights_path(model_));
        change(file);
        write_safetensors(weights_path(model_), file);
    }

    std::string model_;
    std::shared_ptr<Seq2Seq> reference_;
};

TEST_F(ModelDirectory, LoadsWhatWasSaved) {
    const LoadedModel loaded = load();
    EXPECT_EQ(loaded.config.model.embedding_size, 4);
    EXPECT_EQ(loaded.source_tokenizer, loaded.target_tokenizer);
    const auto expected = reference_->named_parameters();
    const auto parameters = loaded.model->named_parameters();
    ASSERT_EQ(parameters.size(), expected.size());
    for (const auto& item : parameters) {
        EXPECT_TRUE(item.value().equal(expected[item.key()])) << item.key();
        EXPECT_FALSE(item.value().requires_grad()) << item.key();
    }
    EXPECT_EQ(read_safetensors_metadata(weights_path(model_)).at("update"), "12");
}

TEST_F(ModelDirectory, CanBeCopiedAndMoved) {
    fs::copy(model_, path("elsewhere"), fs::copy_options::recursive);
    fs::remove_all(model_);
    EXPECT_NO_THROW(load_model(path("elsewhere"), at::Device(at::kCPU)));
}

TEST_F(ModelDirectory, LoadsOtherWeightsWhereAsked) {
    reference_->initialize(8);
    save_weights(*reference_, path("other.safetensors"));
    const LoadedModel loaded = load_model(model_, at::Device(at::kCPU), path("other.safetensors"));
    EXPECT_TRUE(
        loaded.model->named_parameters()["source_embedding"].equal(reference_->named_parameters()["source_embedding"]));
}

TEST_F(ModelDirectory, SeparateVocabularies) {
    fs::remove(joint_vocabulary_path(model_));
    write_vocabulary(source_vocabulary_path(model_), {"one two"});
    write_vocabulary(target_vocabulary_path(model_), {"eins zwei drei"});
    const Tokenizers tokenizers = load_tokenizers(model_);
    EXPECT_NE(tokenizers.source, tokenizers.target);
    EXPECT_EQ(tokenizers.source->size() + 1, tokenizers.target->size());
}

TEST_F(ModelDirectory, MissingDirectory) {
    EXPECT_EQ(fault(ExitCode::model, [&] { load_model(path("none"), at::Device(at::kCPU)); }),
              "no model directory " + path("none") +
                  "; training writes one (checkpoints.directory in its config): check the path");
    EXPECT_EQ(fault(ExitCode::model, [&] { load_model(weights_path(model_), at::Device(at::kCPU)); }),
              weights_path(model_) + " is not a directory; name the model directory that training wrote");
}

TEST_F(ModelDirectory, MissingParts) {
    const auto missing = [this](const std::string& part) {
        return "model directory " + model_ + " has no " + part +
               "; copy the whole directory that training wrote, or let training finish its first validation";
    };
    fs::rename(weights_path(model_), path("kept"));
    EXPECT_EQ(load_fault(), missing("model.safetensors"));
    fs::rename(joint_vocabulary_path(model_), path("joint"));
    EXPECT_EQ(load_fault(), missing("vocabulary (joint.spm, or source.spm and target.spm)"));
    fs::copy(path("joint"), source_vocabulary_path(model_));
    EXPECT_EQ(load_fault(), missing("target.spm"));
    fs::rename(source_vocabulary_path(model_), target_vocabulary_path(model_));
    EXPECT_EQ(load_fault(), missing("source.spm"));
    fs::remove(config_path(model_));
    EXPECT_EQ(load_fault(), missing("config.yaml"));
}

TEST_F(ModelDirectory, TwoKindsOfVocabulary) {
    fs::copy(joint_vocabulary_path(model_), source_vocabulary_path(model_));
    EXPECT_EQ(load_fault(), "model directory " + model_ +
                                " has joint.spm and separate vocabularies as well; remove those that are not of this "
                                "model");
}

TEST_F(ModelDirectory, TensorMissing) {
    change_weights([](TensorFile& file) {
        file.tensors.erase(std::find_if(file.tensors.begin(), file.tensors.end(),
                                        [](const auto& item) { return item.first == "output_bias"; }));
    });
    EXPECT_EQ(load_fault(), weights_path(model_) +
                                ": tensor \"output_bias\" is missing; weights and config.yaml must be of one training");
}

TEST_F(ModelDirectory, CheckpointOfARun) {
    change_weights([](TensorFile& file) {
        for (auto& item : file.tensors) {
            item.first = "model." + item.first;
        }
        file.metadata["run_state"] = "{}";
    });
    EXPECT_EQ(load_fault(), weights_path(model_) +
                                ": this is a checkpoint for train --resume, which only training can use; name "
                                "model.safetensors or one of checkpoints/best-*.safetensors");
}

TEST_F(ModelDirectory, TensorLeftOver) {
    change_weights([](TensorFile& file) { file.tensors.emplace_back("ghost", at::zeros({1})); });
    EXPECT_EQ(load_fault(), weights_path(model_) +
                                ": tensor \"ghost\" is not of this model; weights and config.yaml must be of one "
                                "training");
}

TEST_F(ModelDirectory, TensorOfAnotherShape) {
    const std::int64_t size = reference_->sizes().target;
    change_weights([](TensorFile& file) {
        for (auto& [name, tensor] : file.tensors) {
            if (name == "output_bias") {
                tensor = at::zeros({3, 2});
            }
        }
    });
    EXPECT_EQ(load_fault(), weights_path(model_) + ": tensor \"output_bias\" has the shape [3, 2], the model needs [" +
                                std::to_string(size) +
                                "]; weights, config.yaml and vocabularies must be of one training");
}

TEST_F(ModelDirectory, TensorOfIntegers) {
    change_weights([](TensorFile& file) {
        for (auto& [name, tensor] : file.tensors) {
            tensor = name == "output_bias" ? tensor.to(at::kLong) : tensor;
        }
    });
    EXPECT_NE(load_fault().find("tensor \"output_bias\" is of dtype I64, the model needs a floating-point one"),
              std::string::npos);
}

TEST_F(ModelDirectory, WeightsThatAreReadDoNotChangeWithTheFile) {
    const LoadedModel loaded = load_model(model_, at::kCPU, "", FileAccess::read);
    // In place: a mapping of the file would end the process here.
    std::ofstream(weights_path(model_), std::ios::trunc) << "gone";
    for (const auto& item : loaded.model->named_parameters()) {
        EXPECT_TRUE(item.value().equal(reference_->named_parameters()[item.key()])) << item.key();
    }
}

TEST_F(ModelDirectory, AModelGoesOnWithItsWeightsWhereTheFileIsReplaced) {
    const LoadedModel loaded = load_model(model_, at::kCPU);
    const at::Tensor expected = reference_->named_parameters()["source_embedding"].detach().clone();
    change_weights([](TensorFile& file) {
        for (auto& [name, tensor] : file.tensors) {
            tensor = tensor.to(at::kDouble) + 1.0;
        }
    });
    EXPECT_TRUE(loaded.model->named_parameters()["source_embedding"].equal(expected));
    const LoadedModel again = load_model(model_, at::kCPU);  // float64 becomes what the model calculates in
    EXPECT_EQ(again.model->named_parameters()["source_embedding"].scalar_type(), at::kFloat);
    EXPECT_TRUE(again.model->named_parameters()["source_embedding"].allclose(expected + 1.0));
    EXPECT_FALSE(again.model->named_parameters()["source_embedding"].requires_grad());
}

}  // namespace
}  // namespace softalign

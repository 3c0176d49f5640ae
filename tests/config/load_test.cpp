#include "config/load.h"

#include <clocale>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "config/helpers.h"

namespace softalign {

namespace {

namespace fs = std::filesystem;

using Paths = std::vector<std::string>;

TEST(LoadConfig, OrderDoesNotMatter) {
    const Config one =
        parse("model: {tied_embeddings: all, embedding_size: 64}\nvocabulary: {joint: true, size: 100}\n");
    const Config two =
        parse("vocabulary: {size: 100, joint: true}\nmodel: {embedding_size: 64, tied_embeddings: all}\n");
    expect_same_config(one, two);
    EXPECT_EQ(one.model.embedding_size, 64);
    EXPECT_EQ(one.model.tied_embeddings, TiedEmbeddings::all);
}

TEST(LoadConfig, WhatIsLeftOutHasItsDefault) {
    expect_same_config(parse("training:\n  # seed: 3\nmodel: {}\n"), Config{});
}

TEST(LoadConfig, OverridesComeLastAndInOrder) {
    const Config config = parse("training: {seed: 1, shards: 4}\n", {"training.seed=2", "training.seed=3",
                                                                     "training.optimizer={type: sgd, momentum: 0.9}"});
    EXPECT_EQ(config.training.seed, 3U);
    EXPECT_EQ(config.training.shards, 4);
    EXPECT_EQ(config.training.optimizer.type, OptimizerType::sgd);
    EXPECT_EQ(config.training.optimizer.momentum, 0.9);
}

TEST(LoadConfig, RulesSeeTheOverriddenValues) {
    const std::string yaml = "model: {tied_embeddings: all}\nvocabulary: {joint: false}\n";
    EXPECT_TRUE(parse(yaml, {"vocabulary.joint=true"}).vocabulary.joint);
}

TEST(LoadConfig, PathsOfTheFileAreRelativeToIt) {
    const TemporaryFolder temporary;
    const fs::path folder = fs::canonical(temporary.path(".")) / "configs";
    fs::create_directories(folder);
    std::ofstream(folder / "c.yaml") << "data:\n"
                                        "  train_source: [../data/a.gz, /abs/b, ./c]\n"
                                        "  train_target: [d, ../../e, f/../g]\n"
                                        "  valid_source: plain text.en\n"
                                        "  valid_target: \"\\\"quoted\\\" \\\\ ü\"\n"
                                        "training: {max_epochs: 1}\n"
                                        "checkpoints: {directory: ../runs/x}\n";
    const Config config = load_config((folder / "c.yaml").string(), {"vocabulary.source_model=../m.model"});
    const fs::path parent = folder.parent_path();
    EXPECT_EQ(config.data.train_source, (Paths{parent / "data/a.gz", "/abs/b", folder / "c"}));
    EXPECT_EQ(config.data.train_target, (Paths{folder / "d", parent.parent_path() / "e", folder / "f/../g"}));
    EXPECT_EQ(config.data.valid_source, (folder / "plain text.en").string());
    EXPECT_EQ(config.data.valid_target, (folder / "\"quoted\" \\ ü").string());
    EXPECT_EQ(config.checkpoints.directory, (parent / "runs/x").string());
    EXPECT_EQ(config.vocabulary.source_model, (fs::canonical(".").parent_path() / "m.model").string());
    expect_same_config(parse_config(to_yaml(config), "written", "/elsewhere", {}), config);
}

TEST(LoadConfig, AFileInTheWorkingDirectoryHasNoFolderInItsName) {
    const Config config = parse_config("checkpoints: {directory: here}\n", "c.yaml", "", {});
    EXPECT_EQ(config.checkpoints.directory, (fs::canonical(".") / "here").string());
}

TEST(LoadConfig, LeadingDotsGoThroughALinkedFolderLikeTheSystem) {
    const TemporaryFolder temporary;
    const fs::path root = fs::canonical(temporary.path("."));
    fs::create_directories(root / "real" / "configs");
    fs::create_directory_symlink(root / "real" / "configs", root / "link");
    const Config config = parse_config("checkpoints: {directory: ../runs}\n", "c.yaml", (root / "link").string(), {});
    EXPECT_EQ(config.checkpoints.directory, (root / "real" / "runs").string());
}

TEST(LoadConfig, AFileListMayBeOnePath) {
    const Config config = parse("data: {train_source: a, train_target: [b]}\ntraining: {max_updates: 1}\n");
    EXPECT_EQ(config.data.train_source, Paths{"/base/a"});
    EXPECT_EQ(config.data.train_target, Paths{"/base/b"});
}

TEST(LoadConfig, AnEmptyOverrideTakesAFileAway) {
    const std::string yaml = "data: {valid_source: a, valid_target: b, train_source: c, train_target: d}\n";
    const Config config =
        parse(yaml, {"data.valid_source=", "data.valid_target=\"\"", "data.train_source=", "data.train_target=[]"});
    EXPECT_EQ(config.data.valid_source, "");
    EXPECT_TRUE(config.data.train_source.empty());
}

TEST(LoadConfig, TakesByteOrderMarkAndWindowsLineEnds) {
    EXPECT_EQ(parse("\xef\xbb\xbftraining:\r\n  seed: 7\r\n").training.seed, 7U);
}

TEST(LoadConfig, NumbersDoNotDependOnTheLocale) {
    const char* const before = std::setlocale(LC_ALL, nullptr);
    const std::string saved = before == nullptr ? "C" : before;
    if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr && std::setlocale(LC_ALL, "fr_FR.UTF-8") == nullptr) {
        GTEST_SKIP() << "no locale with a decimal comma is installed";
    }
    const Config config = parse("training: {clip_norm: 2.5}\n");
    const std::string written = to_yaml(config);
    std::setlocale(LC_ALL, saved.c_str());
    EXPECT_EQ(config.training.clip_norm, 2.5);
    expect_contains(written, "clip_norm: 2.5\n");
}

TEST(ToYaml, RoundTripsTheDefaults) {
    expect_same_config(parse(to_yaml(Config{})), Config{});
}

TEST(ToYaml, WritesNumbersThatReadBackToTheBit) {
    for (const double value :
         {0.1, 1.0 / 3, 1e-8, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 123456789.0, 1e22, -0.0, 4e-4}) {
        Config config;
        config.training.max_minutes = value;
        expect_same_config(parse(to_yaml(config)), config);
    }
    EXPECT_EQ(format_number(1.0), "1.0");
    EXPECT_EQ(format_number(4e-4), "0.0004");
    EXPECT_EQ(format_number(1e-8), "1.0e-08");
    EXPECT_EQ(format_number(1e22), "1.0e+22");
}

TEST(ToYaml, IsStable) {
    const std::string once = to_yaml(parse("model: {encoder: {layers: 3}}\n"));
    EXPECT_EQ(to_yaml(parse(once)), once);
}

}  // namespace

}  // namespace softalign

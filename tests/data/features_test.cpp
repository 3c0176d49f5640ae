#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/has.h"
#include "data/corpus.h"
#include "data/feature_array.h"
#include "data/fixtures.h"
#include "data/npy_files.h"
#include "data/source_lines.h"
#include "text/fixtures.h"

namespace softalign {
namespace {

using Floats = std::vector<float>;

// 0, 1, 2, ...
Floats counted(std::size_t count, float first = 0.0F) {
    Floats values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
}

class FeaturesTest : public testing::Test {
protected:
    FeaturesTest() {
        limits_.source_type = SourceType::features;
        write_npy(folder_.path("n.npy"), {3, 2, 2, 2}, counted(24));
        folder_.write("t", "a\nbc\nd\n");
    }

    std::unique_ptr<Corpus> load(const std::string& source, std::int64_t depth = 2, const CorpusStorage& storage = {}) {
        return load_corpus({folder_.path(source)}, {folder_.path("t")}, tokenizer_, tokenizer_, limits_, storage,
                           depth);
    }

    template <typename Body>
    std::string data_error(Body body) {
        return error_of(ExitCode::data, body);
    }

    // A list with an array a line: the same as in n.npy.
    void write_list() {
        for (std::size_t i = 0; i < 3; ++i) {
            write_npy(folder_.path(std::to_string(i) + ".npy"), {2, 2, 2}, counted(8, 8.0F * static_cast<float>(i)));
        }
        folder_.write("list", "0.npy\n" + folder_.path("1.npy") + "\n2.npy\n");
    }

    TemporaryFolder folder_;
    LetterTokenizer tokenizer_;
    DataConfig limits_;
};

TEST_F(FeaturesTest, AnArrayIsAGridOrASequence) {
    write_npy(folder_.path("grid.npy"), {2, 3, 4}, counted(24));
    const FeatureArray grid(folder_.path("grid.npy"));
    EXPECT_EQ(grid.grid(), (Grid{2, 3}));
    EXPECT_EQ(grid.depth(), 4);
    EXPECT_EQ(grid.read().values, counted(24));
    write_npy(folder_.path("sequence.npy"), {6, 4}, std::vector<std::uint8_t>(24, 255));
    const FeatureArray sequence(folder_.path("sequence.npy"));
    EXPECT_EQ(sequence.grid(), (Grid{1, 6}));
    EXPECT_EQ(sequence.read().values, Floats(24, 1.0F));
}

TEST_F(FeaturesTest, ANumberNamesAnElement) {
    const FeatureArray last(folder_.path("n.npy[2]"));
    EXPECT_EQ(last.grid(), (Grid{2, 2}));
    EXPECT_EQ(last.read().values, counted(8, 16.0F));
    write_npy(folder_.path("s.npy"), {2, 3, 2}, counted(12));
    const FeatureArray sequence(folder_.path("s.npy[1]"));
    EXPECT_EQ(sequence.grid(), (Grid{1, 3}));
    EXPECT_EQ(sequence.read().values, counted(6, 6.0F));
}

TEST_F(FeaturesTest, RefusesWhatIsNoArrayForASentence) {
    const auto error = [&](const std::string& name) { return data_error([&] { FeatureArray(folder_.path(name)); }); };
    EXPECT_TRUE(has(error("n.npy[3]"), "n.npy[3]: the file has 3 arrays"));
    EXPECT_TRUE(has(error("n.npy[99999999999999]"), "the file has 3 arrays"));
    EXPECT_TRUE(has(error("n.npy[-1]"), "n.npy[-1]"));
    EXPECT_TRUE(has(error("n.npy"), "(3, 2, 2, 2); an array that stands for a sentence must have the shape [S,D]"));
    write_npy(folder_.path("flat.npy"), {4}, counted(4));
    EXPECT_TRUE(has(error("flat.npy"), "its shape is (4,)"));
    write_npy(folder_.path("two.npy"), {2, 2}, counted(4));
    EXPECT_TRUE(has(error("two.npy[0]"), "must have the shape [N,S,D] or [N,H,W,D]"));
    EXPECT_TRUE(has(error("absent.npy"), "absent.npy"));
    write_npy(folder_.path("deep.npy"), {1, 65537}, std::vector<std::uint8_t>(65537));
    EXPECT_TRUE(has(error("deep.npy"), "at most 65536 numbers (D)"));
}

TEST_F(FeaturesTest, ASourceIsAFileOfArraysOrAListOfFiles) {
    write_list();
    const std::string folder = folder_.path("");
    EXPECT_EQ(read_sources(folder + "n.npy", SourceType::features),
              (std::vector<std::string>{folder + "n.npy[0]", folder + "n.npy[1]", folder + "n.npy[2]"}));
    EXPECT_EQ(read_sources(folder + "list", SourceType::features),
              (std::vector<std::string>{folder + "0.npy", folder + "1.npy", folder + "2.npy"}));
    EXPECT_EQ(read_sources(folder + "list", SourceType::text),
              (std::vector<std::string>{"0.npy", folder + "1.npy", "2.npy"}));
    std::filesystem::copy(folder + "n.npy", folder + "n");  // known by its first bytes
    EXPECT_EQ(read_sources(folder + "n", SourceType::features).size(), 3U);
    EXPECT_TRUE(has(data_error([&] { read_sources(folder + "0.npy[0]", SourceType::features); }), "0.npy[0]"));
    write_npy(folder + "flat.npy", {2, 2}, counted(4));
    EXPECT_TRUE(has(data_error([&] { SourceLines(folder + "flat.npy", SourceType::features); }),
                    "must have [N,S,D] or [N,H,W,D]"));
    EXPECT_EQ(feature_depth(folder + "n.npy"), 2);
    EXPECT_EQ(feature_depth(folder + "list"), 2);
    folder_.write("absent", "\n\nnowhere.npy\n");
    EXPECT_TRUE(has(data_error([&] { feature_depth(folder + "absent"); }), folder + "absent:3: "));
    folder_.write("blank", "\n\n");
    EXPECT_TRUE(has(data_error([&] { feature_depth(folder + "blank"); }), "names no array"));
}

TEST_F(FeaturesTest, ACorpusHasThemInItsExamples) {
    write_list();
    CorpusStorage on_disk;
    on_disk.directory = folder_.path("");
    const auto whole = load("n.npy");
    const auto listed = load("list");
    const auto stored = load("list", 2, on_disk);
    for (const Corpus* corpus : {whole.get(), listed.get(), stored.get()}) {
        ASSERT_EQ(corpus->size(), 3);
        EXPECT_EQ(corpus->report().source_tokens, 12);
        for (std::int64_t i = 0; i < 3; ++i) {
            const Example example = corpus->example(i, 0);
            EXPECT_EQ(corpus->source_length(i), 4);
            EXPECT_EQ(example.features.grid, (Grid{2, 2}));
            EXPECT_EQ(example.features.values, counted(8, 8.0F * static_cast<float>(i)));
            EXPECT_TRUE(example.source.empty());
        }
        EXPECT_EQ(tokenizer_.decode(corpus->example(1, 0).target), "bc");
        EXPECT_EQ(corpus->report().source_checksum, whole->report().source_checksum);
    }
    write_npy(folder_.path("1.npy"), {4, 1, 2}, counted(8, 8.0F));  // the same numbers on another grid
    EXPECT_NE(load("list")->report().source_checksum, whole->report().source_checksum);
}

TEST_F(FeaturesTest, LimitsLeaveArraysOutWithTheirLines) {
    write_list();
    write_npy(folder_.path("1.npy"), {5, 1, 2}, counted(10));
    limits_.max_source_length = 4;
    const auto corpus = load("list");
    ASSERT_EQ(corpus->size(), 2);
    EXPECT_EQ(corpus->report().too_long, 1);
    EXPECT_EQ(corpus->line(1), 3);
    EXPECT_EQ(corpus->example(1, 0).features.values, counted(8, 16.0F));
    folder_.write("t", "a\n\nd\n");
    EXPECT_EQ(load("n.npy")->report().empty, 1);
    folder_.write("list", "0.npy\n \n2.npy\n");
    EXPECT_EQ(load("list")->report().empty, 1);
}

TEST_F(FeaturesTest, ErrorsNameFileAndLine) {
    write_list();
    const auto error = [&](const std::string& source) { return data_error([&] { load(source); }); };
    write_npy(folder_.path("1.npy"), {2, 2, 3}, counted(12));
    EXPECT_TRUE(has(error("list"), folder_.path("list:2: ") + folder_.path("1.npy: each position has 3 numbers")));
    Floats values = counted(8);
    values[5] = std::numeric_limits<float>::quiet_NaN();
    write_npy(folder_.path("1.npy"), {2, 2, 2}, values);
    EXPECT_TRUE(has(error("list"), folder_.path("list:2: ")));
    EXPECT_TRUE(has(error("list"), "[1, 0, 1]"));
    std::filesystem::remove(folder_.path("1.npy"));
    EXPECT_TRUE(has(error("list"), folder_.path("list:2: ") + folder_.path("1.npy")));
    folder_.write("t", "a\nb\n");
    EXPECT_TRUE(has(error("n.npy"), "n.npy has 3 lines"));
    folder_.write("t", "a\nb\nc\n");
    EXPECT_TRUE(has(data_error([&] { load("n.npy", 5); }), "n.npy[0]: each position has 2 numbers"));
}

// A batch that is made later must not be of something else.
TEST_F(FeaturesTest, AFileThatChangesItsShapeIsRefused) {
    write_list();
    const auto corpus = load("list");
    write_npy(folder_.path("1.npy"), {1, 2, 2}, counted(4));
    EXPECT_TRUE(has(data_error([&] { corpus->example(1, 0); }), "its shape was (2, 2, 2)"));
    std::filesystem::remove(folder_.path("1.npy"));
    EXPECT_TRUE(has(data_error([&] { corpus->example(1, 0); }), "1.npy"));
}

}  // namespace
}  // namespace softalign

#include "data/corpus_cache.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/corpus.h"
#include "data/fixtures.h"
#include "text/fixtures.h"

namespace softalign {
namespace {

namespace fs = std::filesystem;

class CorpusCacheTest : public testing::Test {
protected:
    CorpusCacheTest() {
        limits_.on_bad_line = BadLine::skip;
        limits_.max_source_length = 5;
        storage_.keep_text = true;
        storage_.cache = folder_.path("") + "/cache/encoded";
        storage_.made_with = "letters";
        warnings_.clear();
        handle_warnings([](const std::string& message) { warnings_.push_back(message); });
    }
    ~CorpusCacheTest() override { handle_warnings(nullptr); }

    std::unique_ptr<Corpus> load() const {
        return load_corpus({source_, more_}, {target_, more_}, tokenizer_, tokenizer_, limits_, storage_);
    }

    std::string cached_file() const {
        const std::vector<fs::path> files(fs::directory_iterator(storage_.cache), fs::directory_iterator());
        EXPECT_EQ(files.size(), 1U);
        return files.front().string();
    }

    void expect_same(const Corpus& a, const Corpus& b) const {
        ASSERT_EQ(a.size(), b.size());
        for (std::int64_t i = 0; i < a.size(); ++i) {
            for (const std::uint64_t key : {0, 7}) {
                EXPECT_EQ(a.example(i, key).source, b.example(i, key).source);
                EXPECT_EQ(a.example(i, key).target, b.example(i, key).target);
            }
            EXPECT_EQ(a.line(i), b.line(i));
            EXPECT_EQ(a.source_length(i), b.source_length(i));
        }
        const auto counts = [](const CorpusReport& r) {
            return std::vector<std::int64_t>{r.lines,           r.kept,           r.empty,         r.too_long,
                                             r.ratio,           r.bad_encoding,   r.source_tokens, r.target_tokens,
                                             r.source_checksum, r.target_checksum};
        };
        EXPECT_EQ(counts(a.report()), counts(b.report()));
        EXPECT_EQ(a.report().ends, b.report().ends);
        EXPECT_EQ(a.report().target_pieces, b.report().target_pieces);
    }

    TemporaryFolder folder_;
    LetterTokenizer tokenizer_;
    DataConfig limits_;
    CorpusStorage storage_;
    std::string source_ = folder_.write("a", "ab\n\ncdefgh\nij\n\xff\nkl\n");
    std::string target_ = folder_.write("b", "x\ny\nz\nuvw\nx\ny\n");
    std::string more_ = folder_.write("c", "abc\nd\n");
    inline static std::vector<std::string> warnings_;
};

TEST_F(CorpusCacheTest, GivesTheCorpusThatWasEncoded) {
    const std::string folder = std::exchange(storage_.cache, "");
    const auto plain = load();
    storage_.cache = folder;
    const auto encoded = load();
    const auto cached = load();
    EXPECT_FALSE(encoded->report().from_cache);
    EXPECT_TRUE(cached->report().from_cache);
    expect_same(*encoded, *plain);
    expect_same(*cached, *plain);
    EXPECT_EQ(plain->size(), 5);
    EXPECT_TRUE(warnings_.empty());
}

TEST_F(CorpusCacheTest, IsOfTheSameTextLimitsAndVocabularyAlone) {
    const auto is_cached = [this] { return load()->report().from_cache; };
    EXPECT_FALSE(is_cached());
    EXPECT_TRUE(is_cached());
    limits_.max_source_length = 6;
    EXPECT_FALSE(is_cached());
    limits_.max_length_ratio = 1.1;
    EXPECT_FALSE(is_cached());
    limits_.max_length_ratio = 1.1000001;
    EXPECT_FALSE(is_cached());
    storage_.keep_text = false;
    EXPECT_FALSE(is_cached());
    storage_.made_with = "others";
    EXPECT_FALSE(is_cached());
    EXPECT_TRUE(is_cached());
    more_ = folder_.write("c", "abc\ne\n");
    EXPECT_FALSE(is_cached());
    std::swap(source_, target_);
    EXPECT_FALSE(is_cached());
    more_ = folder_.write("elsewhere", "abc\ne\n");
    EXPECT_TRUE(is_cached());
    EXPECT_TRUE(warnings_.empty());
}

TEST_F(CorpusCacheTest, WhatIsDamagedIsEncodedAgain) {
    const auto plain = load();
    const std::string path = cached_file();
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    std::size_t found = 0;  // damage in what is between parts does no harm
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        for (const bool flip : {true, false}) {
            std::string damaged = flip ? bytes : bytes.substr(0, i);
            if (flip) {
                damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
            }
            std::ofstream(path, std::ios::binary) << damaged;
            warnings_.clear();
            const auto again = load();
            expect_same(*again, *plain);
            EXPECT_EQ(again->report().from_cache, warnings_.empty());
            EXPECT_TRUE(flip || !warnings_.empty()) << "cut off after " << i;
            found += warnings_.size();
        }
    }
    EXPECT_GT(found, bytes.size() * 3 / 2);
}

TEST_F(CorpusCacheTest, AFolderThatCannotBeWrittenToIsDoneWithout) {
    storage_.cache = folder_.write("file", "");
    const auto corpus = load();
    EXPECT_EQ(corpus->size(), 5);
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_EQ(warnings_[0].rfind("data.cache: ", 0), 0U) << warnings_[0];
}

TEST_F(CorpusCacheTest, HoldsNoLinksOfWords) {
    limits_.alignments = {folder_.write("l1", "0-0\n\n0-0\n0-0\n\n0-0\n"), folder_.write("l2", "0-0\n0-0\n")};
    EXPECT_EQ(load()->size(), 5);
    EXPECT_FALSE(fs::exists(storage_.cache));
}

}  // namespace
}  // namespace softalign

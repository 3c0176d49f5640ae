#include "data/corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "data/fixtures.h"
#include "text/fixtures.h"

namespace softalign {
namespace {

using Files = std::vector<std::string>;

class CorpusTest : public testing::Test {
protected:
    std::unique_ptr<Corpus> load(const Files& source, const Files& target, const CorpusStorage& storage = {}) {
        return load_corpus(source, target, tokenizer_, tokenizer_, limits_, storage);
    }

    std::string fault(const Files& source, const Files& target) {
        return error_of(ExitCode::data, [&] { load(source, target); });
    }

    std::string text_of(const Corpus& corpus) {
        std::string text;
        for (std::int64_t i = 0; i < corpus.size(); ++i) {
            const Example example = corpus.example(i, 0);
            EXPECT_EQ(example.id, i);
            EXPECT_EQ(corpus.source_length(i), static_cast<std::int64_t>(example.source.size()));
            EXPECT_EQ(corpus.target_length(i), static_cast<std::int64_t>(example.target.size()));
            text += tokenizer_.decode(example.source) + "=" + tokenizer_.decode(example.target) + ";";
        }
        return text;
    }

    TemporaryFolder folder_;
    LetterTokenizer tokenizer_;
    DataConfig limits_;
};

TEST_F(CorpusTest, ReadsPairsFromPlainAndPackedFiles) {
    const std::string source = folder_.write("a", "ab\ncde\r\nf");
    const std::string target = folder_.write("b.gz", gzip("xy\nz\nuvw\n"));
    const auto corpus = load({source}, {target});
    EXPECT_EQ(text_of(*corpus), "ab=xy;cde=z;f=uvw;");
    EXPECT_EQ(corpus->report().lines, 3);
    EXPECT_EQ(corpus->report().kept, 3);
    EXPECT_EQ(corpus->report().source_tokens, 3 + 4 + 2);
    EXPECT_EQ(corpus->report().target_tokens, 3 + 2 + 4);
}

TEST_F(CorpusTest, ReadsSeveralFilesASide) {
    const std::string one = folder_.write("1", "a\nb\n");
    const std::string two = folder_.write("2", "c");  // no line end: the next file begins a new line all the same
    const std::string three = folder_.write("3", "d\n");
    const std::string all = folder_.write("all", "a\nb\nc\nd\n");
    EXPECT_EQ(text_of(*load({one, two, three}, {one, two, three})), "a=a;b=b;c=c;d=d;");
    EXPECT_EQ(text_of(*load({one, two, three}, {all})), "a=a;b=b;c=c;d=d;");
}

TEST_F(CorpusTest, SumsUpTheTextThatIsUsed) {
    limits_.max_source_length = 4;
    const std::string target = folder_.write("b", "x\ny\n");
    const auto sums = [&](const Files& source, const Files& targets) {
        const CorpusReport report = load(source, targets)->report();
        return std::pair(report.source_checksum, report.target_checksum);
    };
    const auto plain = sums({folder_.write("a", "ab\nc\n")}, {target});
    EXPECT_EQ(plain.second, 0x06F719C8U);
    // However the lines are packed, ended, divided between files and mixed with others that are left out.
    EXPECT_EQ(sums({folder_.write("a.gz", gzip("ab\r\nc"))}, {target}), plain);
    EXPECT_EQ(sums({folder_.write("1", "ab\n"), folder_.write("2", "c\n")}, {target}), plain);
    EXPECT_EQ(sums({folder_.write("long", "ab\nabcde\nc\n")}, {folder_.write("three", "x\nz\ny\n")}), plain);
    for (const char* other : {"a\nbc\n", "c\nab\n", "ab\nd\n"}) {
        const auto different = sums({folder_.write("other", other)}, {target});
        EXPECT_NE(different.first, plain.first) << other;
        EXPECT_EQ(different.second, plain.second) << other;
    }
}

TEST_F(CorpusTest, CountsWhatItLeavesOut) {
    limits_.max_source_length = 4;
    limits_.max_target_length = 3;
    limits_.max_length_ratio = 2.0;
    const std::string source = folder_.write("a", "ab\n\nabcde\nab\nab\nabcd\nab\n");
    const std::string target = folder_.write("b", "x\nx\nxyz\nxyzu\n  \nx\nxyz\n");
    const auto corpus = load({source}, {target});
    EXPECT_EQ(text_of(*corpus), "ab=x;ab=xyz;");
    EXPECT_EQ(corpus->report().lines, 7);
    EXPECT_EQ(corpus->report().kept, 2);
    EXPECT_EQ(corpus->report().empty, 2);
    EXPECT_EQ(corpus->report().too_long, 2);
    EXPECT_EQ(corpus->report().ratio, 1);
    EXPECT_EQ(corpus->report().bad_encoding, 0);
    EXPECT_EQ(corpus->report().source_tokens, 6);
    EXPECT_EQ(corpus->report().target_tokens, 6);
}

TEST_F(CorpusTest, NamesMissingFilesAndDirectories) {
    const std::string good = folder_.write("a", "a\n");
    const std::string missing = folder_.path("missing.de");
    EXPECT_EQ(fault({missing}, {good}), missing + ": cannot open the file: No such file or directory");
    EXPECT_EQ(fault({good}, {missing}), missing + ": cannot open the file: No such file or directory");
    EXPECT_EQ(fault({good, missing}, {good}), missing + ": cannot open the file: No such file or directory");
    const std::string directory = folder_.path("");
    EXPECT_EQ(fault({good}, {directory}), directory + ": is a directory; give a text file");
    EXPECT_EQ(fault({}, {good}), "a parallel corpus needs at least one file on each side");
}

TEST_F(CorpusTest, NamesEmptyFiles) {
    const std::string good = folder_.write("a", "a\n");
    const std::string empty = folder_.write("empty", "");
    const std::string packed = folder_.write("empty.gz", gzip(""));
    EXPECT_EQ(fault({empty}, {good}), empty + ": the file is empty; it must have one sentence per line");
    EXPECT_EQ(fault({good}, {packed}), packed + ": the file is empty; it must have one sentence per line");
}

TEST_F(CorpusTest, NamesBothSidesOfUnequalLineCounts) {
    const std::string longer = folder_.write("a.de", "a\nb\nc\n");
    const std::string shorter = folder_.write("a.en", "a\n");
    EXPECT_EQ(fault({longer}, {shorter}), "the two sides do not have the same number of lines: " + longer +
                                              " has 3 lines, " + shorter +
                                              " has 1 line; line n of one must be the translation of line n of the "
                                              "other");
    EXPECT_NE(fault({shorter}, {longer}).find(shorter + " has 1 line, " + longer + " has 3 lines"), std::string::npos);
    EXPECT_NE(fault({longer, shorter, shorter}, {longer})
                  .find(longer + " + " + shorter + " + " + shorter + " have 5 lines, " + longer + " has 3 lines"),
              std::string::npos);
    // The sums agree, the pairs do not.
    EXPECT_NE(fault({longer, shorter}, {shorter, longer}).find(longer + " has 3 lines"), std::string::npos);
    limits_.on_bad_line = BadLine::skip;
    EXPECT_NE(fault({longer}, {shorter}).find("has 3 lines"), std::string::npos);
}

TEST_F(CorpusTest, NamesFileLineAndColumnOfInvalidUtf8) {
    const std::string good = folder_.write("a", "a\nb\nc\n");
    const std::string bad = folder_.write("b", "a\nxy\xE9z\nc\n");
    const std::string message = ":2:3: invalid UTF-8 (byte 0xE9); convert the file to UTF-8, for example with iconv";
    EXPECT_EQ(fault({bad}, {good}), bad + message);
    EXPECT_EQ(fault({good}, {bad}), bad + message);
}

TEST_F(CorpusTest, SkipsAndCountsInvalidUtf8WhereTheConfigSaysSo) {
    limits_.on_bad_line = BadLine::skip;
    const std::string source = folder_.write("a", "a\n\xFF\nc\nd\n\xC3\n");
    const std::string target = folder_.write("b", "a\nb\nc\n\xFF\n\xFF\n");
    const auto corpus = load({source}, {target});
    EXPECT_EQ(text_of(*corpus), "a=a;c=c;");
    EXPECT_EQ(corpus->report().lines, 5);
    EXPECT_EQ(corpus->report().bad_encoding, 3);
}

TEST_F(CorpusTest, SaysWhyNothingIsLeft) {
    limits_.max_source_length = 2;
    limits_.on_bad_line = BadLine::skip;
    const std::string source = folder_.write("a", "abc\nabcd\n\nx\n");
    const std::string target = folder_.write("b", "a\na\na\n\xFF\n");
    EXPECT_EQ(fault({source}, {target}), source + ", " + target +
                                             ": no sentence pair is left of 4: 1 with an empty side, 2 over "
                                             "data.max_source_length or data.max_target_length, 1 not UTF-8");
}

TEST_F(CorpusTest, NamesTruncatedGzip) {
    const std::string good = folder_.write("a", "a\n");
    const std::string packed = gzip(joined(sample_sentences()));
    const std::string cut = folder_.write("cut.gz", packed.substr(0, packed.size() - 20));
    EXPECT_NE(fault({cut}, {folder_.write("b", joined(sample_sentences()))}).find(cut + ": the gzip data ends early"),
              std::string::npos);
}

TEST_F(CorpusTest, SamplesByTheKeyWhereItHoldsTheText) {
    const std::string file = folder_.write("a", "abcdefgh\nijklmnop\n");
    const auto corpus = load({file}, {file}, {true, ""});
    const Example plain = corpus->example(1, 0);
    const Example sampled = corpus->example(1, 5);
    EXPECT_EQ(plain.source, tokenizer_.encode("ijklmnop"));
    EXPECT_NE(sampled.source, plain.source);
    EXPECT_NE(sampled.source, sampled.target) << "the sides are drawn apart";
    EXPECT_EQ(corpus->example(1, 5).source, sampled.source);
    EXPECT_NE(corpus->example(1, 6).source, sampled.source);
    EXPECT_EQ(corpus->source_length(1), 8);
    error_of(ExitCode::internal, [&] { load({file}, {file})->example(0, 5); });
}

TEST_F(CorpusTest, ReadsLinesOfAFile) {
    const std::string path = folder_.write("a",
                                           "\xEF\xBB\xBF"
                                           "one\r\n\nthree \xE2\x80\xA8 x");
    EXPECT_EQ(read_lines(path), Files({"one", "", "three \xE2\x80\xA8 x"}));
    EXPECT_TRUE(read_lines(folder_.write("empty", "")).empty());
    const std::string bad = folder_.write("bad", "a\n\xFF\n");
    EXPECT_NE(error_of(ExitCode::data, [&] { read_lines(bad); }).find(bad + ":2:1: invalid UTF-8"), std::string::npos);
}

TEST_F(CorpusTest, IsTheSameOnDisk) {
    std::string text;
    for (int i = 0; i < 2000; ++i) {
        text += std::string(1 + static_cast<std::size_t>(i % 7), static_cast<char>('a' + i % 26)) + "\n";
    }
    const std::string file = folder_.write("a", text);
    const std::size_t files = folder_.files();
    const auto in_memory = load({file}, {file}, {true, ""});
    const auto on_disk = load({file}, {file}, {true, folder_.path("")});
    EXPECT_EQ(folder_.files(), files);
    ASSERT_EQ(on_disk->size(), 2000);
    for (std::int64_t i = 0; i < on_disk->size(); ++i) {
        for (const std::uint64_t key : {0U, 5U}) {
            const Example expected = in_memory->example(i, key);
            const Example found = on_disk->example(i, key);
            ASSERT_EQ(found.source, expected.source);
            ASSERT_EQ(found.target, expected.target);
        }
        ASSERT_EQ(on_disk->source_length(i), in_memory->source_length(i));
    }
}

TEST_F(CorpusTest, KnowsWhereEachPairOfFilesEnds) {
    limits_.max_source_length = 2;
    const std::string one = folder_.write("1", "a\nabc\nb\n");
    const std::string two = folder_.write("2", "abc\n");
    const std::string three = folder_.write("3", "c\n");
    const auto corpus = load({one, two, three}, {folder_.write("t1", "a\nb\nc\n"), three, three});
    EXPECT_EQ(corpus->report().ends, (std::vector<std::int64_t>{2, 2, 3}));
}

// The letters of a tag stand for its piece here.
TEST_F(CorpusTest, IsTheSameEncodedByManyThreads) {
    std::string source;
    std::string target;
    for (int i = 0; i < 10000; ++i) {
        source += i % 7 == 3 ? "" : std::string(1 + i % 11, static_cast<char>('a' + i % 26));
        source += i % 101 == 9 ? "\xff\n" : "\n";
        target += std::string(1 + i % 5, static_cast<char>('b' + i % 25)) + "\n";
    }
    const Files sources{folder_.write("a", source), folder_.write("c", "ab\n")};
    const Files targets{folder_.write("b", target), folder_.write("d", "cd\n")};
    limits_.on_bad_line = BadLine::skip;
    limits_.max_source_length = 9;
    const auto alone = load(sources, targets, {true, ""});
    CorpusStorage storage{true, ""};
    storage.in_parallel = [](std::int64_t count, const std::function<void(std::int64_t)>& task) {
        std::vector<std::thread> threads;
        for (std::int64_t first = 0; first < 3; ++first) {
            threads.emplace_back([=, &task] {
                for (std::int64_t i = count - 1 - first; i >= 0; i -= 3) {
                    task(i);
                }
            });
        }
        std::for_each(threads.begin(), threads.end(), [](std::thread& thread) { thread.join(); });
    };
    const auto together = load(sources, targets, storage);
    EXPECT_EQ(text_of(*together), text_of(*alone));
    EXPECT_GT(alone->size(), 6000);
    for (std::int64_t i = 0; i < alone->size(); ++i) {
        ASSERT_EQ(together->line(i), alone->line(i));
    }
    const auto counts = [](const CorpusReport& report) {
        return std::vector<std::int64_t>{
            report.lines,          report.kept,          report.empty,         report.too_long,
            report.bad_encoding,   report.source_tokens, report.target_tokens, report.source_checksum,
            report.target_checksum};
    };
    EXPECT_EQ(counts(together->report()), counts(alone->report()));
    EXPECT_EQ(together->report().ends, alone->report().ends);
    EXPECT_EQ(together->report().target_pieces, alone->report().target_pieces);
    EXPECT_GT(alone->report().bad_encoding, 0);
    EXPECT_GT(alone->report().empty, 0);
    EXPECT_GT(alone->report().too_long, 0);
}

class TagTokenizer : public LetterTokenizer {
public:
    std::vector<std::int32_t> encode(std::string_view text) const override {
        return text == "<bt>" ? std::vector<std::int32_t>{7} : LetterTokenizer::encode(text);
    }
    std::string piece(std::int32_t id) const override { return id == 7 ? "<bt>" : LetterTokenizer::piece(id); }
};

TEST_F(CorpusTest, TagsStandBeforeTheSourcesOfTheirFiles) {
    const TagTokenizer tokenizer;
    limits_.tags = {"", "<bt>"};
    limits_.max_source_length = 2;
    const Files sources{folder_.write("1", "ab\n"), folder_.write("2", "cd\nabc\ne\n")};
    const Files targets{folder_.write("t1", "x\n"), folder_.write("t2", "y\nz\nw\n")};
    for (const bool keep_text : {false, true}) {
        const auto corpus = load_corpus(sources, targets, tokenizer, tokenizer, limits_, {keep_text, ""});
        ASSERT_EQ(corpus->size(), 3);
        EXPECT_EQ(corpus->example(0, 0).source, (std::vector<std::int32_t>{10, 11}));
        EXPECT_EQ(corpus->example(1, 0).source, (std::vector<std::int32_t>{7, 12, 13}));
        EXPECT_EQ(corpus->example(2, 0).source, (std::vector<std::int32_t>{7, 14}));
        EXPECT_EQ(corpus->example(2, 0).target, tokenizer.encode("w"));
        EXPECT_EQ(corpus->source_length(0), 2);
        EXPECT_EQ(corpus->source_length(1), 3);
        EXPECT_EQ(corpus->report().source_tokens, 3 + 4 + 3);
    }
    const auto sampled = load_corpus(sources, targets, tokenizer, tokenizer, limits_, {true, ""})->example(1, 5).source;
    EXPECT_EQ(sampled.front(), 7);
    EXPECT_EQ(std::count(sampled.begin(), sampled.end(), 7), 1);
    const std::string message = error_of(ExitCode::configuration, [&] {
        load({sources[0], sources[1]}, {targets[0], targets[1]});
    });
    EXPECT_TRUE(has(message, "no piece for <bt>")) << message;
}

}  // namespace
}  // namespace softalign

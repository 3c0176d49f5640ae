#include "translate/n_best_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/fixtures.h"

namespace softalign {
namespace {

class NBestList : public testing::Test {
protected:
    NBestReader reader(const std::string& text, bool complete = false) const {
        return NBestReader(folder_.write("list", text), source_, complete);
    }

    std::vector<NBestBlock> read(const std::string& text, bool complete = false) const {
        NBestReader list = reader(text, complete);
        std::vector<NBestBlock> blocks;
        for (NBestBlock block; list.next(block);) {
            blocks.push_back(block);
        }
        return blocks;
    }

    std::string fault(const std::string& text, bool complete = false) const {
        const std::string message = error_of(ExitCode::data, [&] { read(text, complete); });
        const std::string place = folder_.path("list") + ":";
        EXPECT_EQ(message.substr(0, place.size()), place);
        return message.substr(place.size());
    }

    TemporaryFolder folder_;
    const std::string source_ = folder_.write("source", "first\nsecond\nthird\n");
};

TEST_F(NBestList, ReadsSentencesWithTheirEntries) {
    const auto blocks = read(
        "0 ||| ein Hund ||| -0.5\n"
        "0 ||| der Hund ||| LogProb= -2.25 Length= 3 ||| -0.75\n"
        "1 |||  ||| 0.000000\n"
        "2 ||| a || b |c| |||| ||| -1e-3\r\n");
    ASSERT_EQ(blocks.size(), 3U);
    EXPECT_EQ(blocks[0].source, "first");
    EXPECT_EQ(blocks[0].first_line, 1);
    ASSERT_EQ(blocks[0].entries.size(), 2U);
    EXPECT_EQ(blocks[0].entries[0].text, "ein Hund");
    EXPECT_EQ(blocks[0].entries[0].features, "");
    EXPECT_EQ(blocks[0].entries[0].value, -0.5);
    EXPECT_EQ(blocks[0].entries[1].features, "LogProb= -2.25 Length= 3");
    EXPECT_EQ(blocks[0].entries[1].score, "-0.75");
    EXPECT_EQ(blocks[1].source, "second");
    EXPECT_EQ(blocks[1].first_line, 3);
    EXPECT_EQ(blocks[1].entries[0].text, "");
    EXPECT_EQ(blocks[2].entries[0].text, "a || b |c| ||||");
    EXPECT_EQ(blocks[2].entries[0].value, -1e-3);
}

TEST_F(NBestList, WritesWhatItRead) {
    for (const char* line : {"0 ||| ein Hund ||| -0.500000", "0 ||| a ||| X= 1 ||| 2", "0 |||  ||| 0"}) {
        EXPECT_EQ(to_line(read(std::string(line) + "\n").front().entries.front()), line);
    }
    // Empty columns of other programs.
    EXPECT_EQ(to_line(read("0 ||| a |||  ||| 2\n").front().entries.front()), "0 ||| a ||| 2");
    EXPECT_EQ(to_line(read("0 ||| ||| ||| 2\n").front().entries.front()), "0 |||  ||| 2");
}

// What stands between the fields may stand in a text too, and in what a text is escaped to.
TEST_F(NBestList, TextsMayHoldSeparators) {
    for (const std::string text : {"|||", "a ||| b", "||| a", "a |||", "a ||| -1 ||| b", "a\t|||\tb", "\\|||",
                                   "a \\|||", "\\\\||| |||", "||| |||", "\\", "a \\ b", "|| | |||| a|||b \\||||"}) {
        NBestEntry entry;
        entry.text = text;
        entry.score = "-1";
        const NBestBlock plain = read(to_line(entry) + "\n").front();
        ASSERT_EQ(plain.entries.size(), 1U) << text;
        EXPECT_EQ(plain.entries.front().text, text) << to_line(entry);
        entry.features = "LogProb= -2";
        EXPECT_EQ(read(to_line(entry) + "\n").front().entries.front().text, text) << to_line(entry);
    }
    NBestEntry entry;
    entry.text = "a ||| b";
    entry.score = "-1";
    EXPECT_EQ(to_line(entry), "0 ||| a \\||| b ||| -1");
}

// A list of a program that does not escape: its text must not be cut.
TEST_F(NBestList, TheRestOfATextIsNotTakenForFeatures) {
    for (const char* line : {"0 ||| a ||| b ||| -1", "0 ||| a ||| LogProb= -1 b ||| -1"}) {
        EXPECT_EQ(fault("0 ||| a ||| 1\n" + std::string(line) + "\n"),
                  "2: the column before the score has no features, such as \"Name= 1.5\"; where it is a part of the "
                  "text, write the ||| in front of it as \\|||")
            << line;
    }
    for (const char* features : {"LM= -1.5 0 2e-3", "d: 0 lm: -3.5 tm: -1 -2", "LM0= -3 sparse_a=1 sparse_b=2.5"}) {
        const std::string line = std::string("0 ||| a ||| ") + features + " ||| -1\n";
        EXPECT_EQ(read(line).front().entries.front().features, features);
    }
}

TEST_F(NBestList, FeaturesAreAddedBehindTheOthers) {
    NBestEntry entry = read("0 ||| a ||| Model= 1 MyModel= 2 ||| 2\n").front().entries.front();
    EXPECT_TRUE(has_feature(entry, "Model"));
    EXPECT_TRUE(has_feature(entry, "MyModel"));
    EXPECT_FALSE(has_feature(entry, "My"));
    EXPECT_FALSE(has_feature(entry, "Mode"));
    add_feature(entry, "My", -1.5);
    EXPECT_EQ(entry.features, "Model= 1 MyModel= 2 My= -1.500000");
    NBestEntry bare;
    add_feature(bare, "My", 3.0);
    EXPECT_EQ(bare.features, "My= 3.000000");
}

TEST_F(NBestList, TakesPackedFiles) {
    const std::string list = folder_.write("list.gz", gzip("1 ||| b ||| 1\n"));
    const std::string source = folder_.write("source.gz", gzip("first\nsecond\n"));
    NBestReader reader(list, source, false);
    NBestBlock block;
    ASSERT_TRUE(reader.next(block));
    EXPECT_EQ(block.source, "second");
    EXPECT_FALSE(reader.next(block));
}

TEST_F(NBestList, CountsSentencesWithoutEntries) {
    NBestReader list = reader("1 ||| b ||| 1\n");
    NBestBlock block;
    ASSERT_TRUE(list.next(block));
    EXPECT_EQ(block.source, "second");
    EXPECT_EQ(list.without_entries(), 1);
    EXPECT_FALSE(list.next(block));
    EXPECT_EQ(list.without_entries(), 2);
    EXPECT_EQ(list.sentences(), 3);
    EXPECT_TRUE(read("").empty());
    EXPECT_EQ(read("0 ||| a ||| 1\n1 ||| b ||| 1\n2 ||| c ||| 1\n", true).size(), 3U);
}

TEST_F(NBestList, ACompleteListHasAllSentences) {
    EXPECT_EQ(fault("", true), " the list is empty; it must have an entry for each line of " + source_);
    EXPECT_EQ(fault("0 ||| a ||| 1\n2 ||| c ||| 1\n", true),
              "2: sentence 1 has no entry before this one; the list must have one for each line of " + source_);
    EXPECT_EQ(fault("0 ||| a ||| 1\n", true),
              "1: the list ends here, without an entry for the last 2 of the 3 lines of " + source_);
}

TEST_F(NBestList, LinesThatAreNoEntries) {
    for (const char* line : {"ein Hund", "", "0 ||| ein Hund", "0 ||| a ||| b ||| 1 ||| 0-0", "x ||| a ||| 1",
                             "-1 ||| a ||| 1", "0 ||| a ||| b", "0 ||| a ||| nan", "0 ||| a ||| -inf", "0 ||| a ||| 1x",
                             "0|||a|||1", "99999999999999999999 ||| a ||| 1"}) {
        EXPECT_EQ(fault("0 ||| a ||| 1\n" + std::string(line) + "\n"),
                  "2: not an entry of an n-best list; write \"number of the sentence ||| text ||| score\", or features "
                  "before the score; a ||| inside a text is written \\|||")
            << line;
    }
    EXPECT_NE(fault("0 ||| \xFF ||| 1\n").find("1:7: invalid UTF-8"), std::string::npos);
}

TEST_F(NBestList, SentencesComeInTheOrderOfTheSource) {
    EXPECT_EQ(fault("1 ||| b ||| 1\n0 ||| a ||| 1\n"),
              "2: an entry of sentence 0 after those of sentence 1; the entries of a sentence must stand together, "
              "sentences in their order");
    EXPECT_EQ(fault("2 ||| c ||| 1\n3 ||| d ||| 1\n"),
              "2: sentence 3 is beyond " + source_ +
                  ", which has 3 lines; sentences count from 0: is the list of another source?");
    EXPECT_NE(error_of(ExitCode::data, [&] { NBestReader(folder_.path("missing"), source_, false); }).find("missing"),
              std::string::npos);
}

TEST_F(NBestList, NamesOfFeaturesAreThoseThatCanBeReadBack) {
    for (const std::string name : {"Rescore", "model-2", "a.b_c", "Größe", "1"}) {
        EXPECT_TRUE(is_feature_name(name)) << name;
        NBestEntry entry = read("0 ||| text ||| -1\n").front().entries.front();
        add_feature(entry, name, 2.0);
        EXPECT_TRUE(has_feature(read(to_line(entry) + "\n").front().entries.front(), name));
    }
    for (const std::string name :
         {"", " ", "a b", "a\tb", "a\nb", "a\n", "a\r", "a\xC2\xA0", "\xC2\xA0",
          "a\xE2\x80\xA8"
          "b",
          "a=", "a|b", "|||", "a:", "a\x1B[31m", "a\xC2\x9B", "\xFF", "a\xC3", "a\xE2\x80\xAE"}) {
        EXPECT_FALSE(is_feature_name(name)) << name;
    }
    EXPECT_FALSE(is_feature_name({"a\0b", 3}));
}

}  // namespace
}  // namespace softalign

#include "translate/shortlist.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "text/fixtures.h"
#include "text/piece_list.h"

namespace softalign {
namespace {

using Row = std::vector<Shortlist::Translation>;

// Source and target have "a" and "2" in common, under other ids.
const PieceList source({"<pad>", "<unk>", "<s>", "</s>", "a", "two words", "2", "back\\slash"});
const PieceList target({"<pad>", "<unk>", "<s>", "</s>", "x", "a", "2", "tab\tnewline\n", "cr\r"});

LexicalCounts sample_counts() {
    LexicalCounts counts(source.size(), target.size());
    counts.add(3, 4, 1.0);
    counts.add(4, 8, 3.0);
    counts.add(4, 5, 1.0);
    counts.add(5, 7, 2.0);
    counts.add(5, 4, 1.0);
    counts.add(5, 6, 1.0);
    for (const std::int32_t piece : {7, 4, 1, 7, 1, 8, 1}) {
        counts.see(piece);
    }
    return counts;
}

Shortlist sample_shortlist() {
    return {sample_counts(), source, target, {2, 2}};
}

void expect_row(const Row& row, const std::vector<std::pair<std::int32_t, double>>& expected) {
    ASSERT_EQ(row.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(row[i].target, expected[i].first);
        EXPECT_NEAR(row[i].probability, expected[i].second, 1e-4);
    }
}

void expect_sample(const Shortlist& shortlist) {
    EXPECT_EQ(shortlist.always(), (std::vector<std::int32_t>{3, 1, 7, 4}));
    ASSERT_EQ(shortlist.rows().size(), 8U);
    for (const std::size_t empty : {0, 1, 2, 7}) {
        EXPECT_TRUE(shortlist.rows()[empty].empty());
    }
    expect_row(shortlist.rows()[3], {{4, 1.0}});
    expect_row(shortlist.rows()[4], {{8, 0.75}, {5, 0.25}});
    expect_row(shortlist.rows()[5], {{7, 0.5}, {4, 0.25}});
    expect_row(shortlist.rows()[6], {{6, 0.0}});  // never seen, but it is the same in both languages
}

TEST(Shortlist, HasTheBestTheFrequentAndWhatIsTheSame) {
    expect_sample(sample_shortlist());
    const Shortlist best(sample_counts(), source, target, {1, 0});
    EXPECT_EQ(best.always(), (std::vector<std::int32_t>{3, 1}));
    expect_row(best.rows()[4], {{8, 0.75}, {5, 0.25}});
    expect_row(best.rows()[5], {{7, 0.5}});
}

TEST(Shortlist, ASentenceHasWhatItsPiecesHave) {
    const auto candidates_of = [](const std::vector<std::int32_t>& pieces) {
        std::vector<std::int32_t> candidates;
        sample_shortlist().add_candidates(pieces, candidates);
        std::sort(candidates.begin(), candidates.end());
        candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
        return candidates;
    };
    EXPECT_EQ(candidates_of({4, 3}), (std::vector<std::int32_t>{1, 3, 4, 5, 7, 8}));
    EXPECT_EQ(candidates_of({6, 7, 6, 3}), (std::vector<std::int32_t>{1, 3, 4, 6, 7}));
    EXPECT_EQ(candidates_of({}), (std::vector<std::int32_t>{1, 3, 4, 7}));
}

TEST(ShortlistFile, IsTextThatPeopleCanRead) {
    std::istringstream text(shortlist_text(sample_shortlist(), source, target));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
        lines.push_back(line);
    }
    ASSERT_EQ(lines.size(), 9U);
    EXPECT_EQ(lines[0], "softalign shortlist 1");
    EXPECT_EQ(lines[1].substr(0, 9), "source 8 ");
    EXPECT_EQ(lines[1].size(), 9U + 16U);
    EXPECT_EQ(lines[2].substr(0, 9), "target 9 ");
    EXPECT_EQ(lines[3], "always 3 </s> 1 <unk> 7 tab\\tnewline\\n 4 x");
    EXPECT_EQ(lines[4], "3 </s> 4 x 1");
    EXPECT_EQ(lines[5], "4 a 8 cr\\r 0.75 5 a 0.25");
    EXPECT_EQ(lines[6], "5 two\\swords 7 tab\\tnewline\\n 0.5 4 x 0.25");
    EXPECT_EQ(lines[7], "6 2 6 2 0");
    EXPECT_EQ(lines[8], "end");
}

TEST(ShortlistFile, ReadsWhatWasWritten) {
    const TemporaryFolder folder;
    const std::string text = shortlist_text(sample_shortlist(), source, target);
    expect_sample(read_shortlist(folder.write("plain", text), source, target));
    expect_sample(read_shortlist(folder.write("packed.gz", gzip(text)), source, target));
}

TEST(ShortlistFile, OfOtherVocabulariesIsRefused) {
    const TemporaryFolder folder;
    const std::string path = folder.write("list", shortlist_text(sample_shortlist(), source, target));
    const PieceList other({"<pad>", "<unk>", "<s>", "</s>", "a", "two words", "2", "slash"});
    const PieceList larger({"<pad>", "<unk>", "<s>", "</s>", "x", "a", "2", "tab\tnewline\n", "cr\r", "y"});
    EXPECT_EQ(error_of(ExitCode::model, [&] { read_shortlist(path, other, target); }),
              path +
                  ": made for another source vocabulary than the model's; make one for this model with softalign "
                  "shortlist");
    EXPECT_EQ(error_of(ExitCode::model, [&] { read_shortlist(path, source, larger); }),
              path +
                  ": made for another target vocabulary than the model's; make one for this model with softalign "
                  "shortlist");
}

TEST(ShortlistFile, NamesThePlaceOfAFault) {
    const TemporaryFolder folder;
    const std::string good = shortlist_text(sample_shortlist(), source, target);
    // What is changed, into what, and what is said of it.
    const std::vector<std::vector<std::string>> faults = {
        {"shortlist 1", "shortlist 2",
         ":1:1: not a shortlist of this version, which begins with \"softalign shortlist "
         "1\"; softalign shortlist makes one"},
        {"source 8", "fountain 8", ":2:1: the line of the source vocabulary should be here"},
        {"target 9", "9", ":3:1: the line of the target vocabulary should be here"},
        {"always 3", "never 3", ":4:1: the line of the pieces that are always allowed, \"always\", should be here"},
        {"always 3 </s> 1", "always 1", ":4:33: the end of the sentence is not among"},
        {"always 3 </s> 1 <unk>", "always 3 </s> 3 </s>", ":4:15: piece 3 is listed twice"},
        {"always 3 </s>", "always 3 <s>", ":4:10: piece 3 is \"</s>\" in the vocabulary, not \"<s>\""},
        {"always 3", "always -3", ":4:8: -3 is not the id of a target piece: the vocabulary has 9 pieces"},
        {"always 3", "always 9", ":4:8: 9 is not the id of a target piece: the vocabulary has 9 pieces"},
        {"always 3", "always 99999999999", ":4:8: \"99999999999\" is not the id of a target piece"},
        {"always 3", "always 3x", ":4:8: \"3x\" is not the id of a target piece"},
        {"always 3", "always  3", ":4:8: a space where the id of a target piece should be"},
        {"4 x\n3", "4 x \n3", ":4:44: the line ends where the id of a target piece should be"},
        {"\n4 a 8", "\n\n4 a 8", ":6:1: the line ends where the id of a source piece should be"},
        {"4 a 8 cr\\r 0.75", "4 b 8 cr\\r 0.75", ":6:3: piece 4 is \"a\" in the vocabulary, not \"b\""},
        {"4 a 8", "8 a 8", ":6:1: 8 is not the id of a source piece: the vocabulary has 8 pieces"},
        {"0.75 5 a", "0.75 8 cr\\r", ":6:17: piece 8 is listed twice"},
        {"0.75", "0,75", ":6:12: \"0,75\" is not a probability"},
        {"0.75", "1.75", ":6:12: 1.75 is not a probability"},
        {"0.75", "-0.5", ":6:12: -0.5 is not a probability"},
        {"0.75", "nan", ":6:12: nan is not a probability"},
        {" 0.75 5 a 0.25", "", ":6:11: the line ends where a probability should be"},
        {" cr\\r 0.75 5 a 0.25", "", ":6:6: the line ends where the name of the piece should be"},
        {"5 two", "4 a 4 x 0.5\n5 two", ":7:1: source piece 4 comes after 4; ids must be in ascending order"},
        {"a 0.25", "a\xFF 0.25", ":6:20: invalid UTF-8"},
        {"end\n", "end\nend\n", ":10:1: text after the last line \"end\""},
        {"end\n", "", ": the file ends after line 8, before its last line \"end\"; it is truncated"},
        {"end\n", "en\n", ":9:1: \"en\" is not the id of a source piece"},
    };
    for (const auto& fault : faults) {
        std::string text = good;
        const std::size_t place = text.find(fault[0]);
        ASSERT_NE(place, std::string::npos) << fault[0];
        text.replace(place, fault[0].size(), fault[1]);
        const std::string path = folder.write("list", text);
        const std::string message = error_of(ExitCode::data, [&] { read_shortlist(path, source, target); });
        EXPECT_EQ(message.find(path + fault[2]), 0U) << message << "\nexpected " << fault[2];
    }
    const std::string missing = folder.path("missing");
    EXPECT_NE(error_of(ExitCode::data, [&] { read_shortlist(missing, source, target); }).find(missing),
              std::string::npos);
}

TEST(ShortlistFile, CutOffAnywhereIsAnError) {
    const TemporaryFolder folder;
    const std::string good = shortlist_text(sample_shortlist(), source, target);
    for (std::size_t length = 0; length + 1 < good.size(); ++length) {
        const std::string path = folder.write("list", good.substr(0, length));
        EXPECT_THROW(read_shortlist(path, source, target), Error) << length;
    }
}

TEST(ShortlistFile, OfAModelIsInItsDirectory) {
    const TemporaryFolder folder;
    const std::string directory = folder.path("");
    EXPECT_EQ(error_of(ExitCode::model, [&] { read_shortlist_of("runs/a", source, target); }),
              "model directory runs/a has no shortlist.txt; make one with: softalign shortlist --model runs/a --source "
              "FILE --target FILE");
    folder.write("shortlist.txt", shortlist_text(sample_shortlist(), source, target));
    expect_sample(read_shortlist_of(directory, source, target));
    folder.write("shortlist.txt", "nothing");
    EXPECT_NE(error_of(ExitCode::model, [&] { read_shortlist_of(directory, source, target); })
                  .find("shortlist.txt:1:1: not a shortlist"),
              std::string::npos);
}

}  // namespace
}  // namespace softalign

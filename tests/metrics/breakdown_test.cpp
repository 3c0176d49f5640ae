#include "metrics/breakdown.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "metrics/text_metric.h"

namespace softalign {
namespace {

using nlohmann::ordered_json;
using Lines = std::vector<std::string>;

// Two systems of four sentences; TER of a sentence is the share of its words that are wrong.
class Breakdown : public testing::Test {
protected:
    Breakdown() : references_(streams_, EmptyReferences::count), metric_(make_ter({})), bleu_(make_bleu({})) {
        statistics_ = collect_statistics(*metric_, references_, {&first_, &second_});
        lengths_ = collect_statistics(*bleu_, references_, {&first_, &second_});
        input_.metrics = {metric_.get()};
        input_.references = &references_;
        input_.systems = {{"first", &first_, {&statistics_[0]}, &lengths_[0]},
                          {"second", &second_, {&statistics_[1]}, &lengths_[1]}};
    }

    // The rows without the names of the systems.
    static std::vector<ordered_json> row(const Table& table, std::size_t index) { return table.rows.at(index); }

    const Lines first_{"the cat sat", "a dog x y", "one", "a b c d e f g h i j k"};
    const Lines second_{"the cat ran", "a dog runs fast", "one two", "a b c d e f g h i j x"};
    const std::vector<Lines> streams_{{"the cat sat", "a dog runs fast", "one", "a b c d e f g h i j k"}};
    const ReferenceSet references_;
    const std::unique_ptr<TextMetric> metric_;
    const std::unique_ptr<TextMetric> bleu_;
    std::vector<Statistics> statistics_;
    std::vector<Statistics> lengths_;
    BreakdownInput input_;
};

TEST_F(Breakdown, ByLengthHasARowForEachGroupAndSystem) {
    const Table table = by_length(input_, streams_[0], "reference");
    EXPECT_EQ(table.title, "By the length of the reference");
    EXPECT_EQ(table.columns, (Lines{"words", "sentences", "system", "TER", "length ratio"}));
    ASSERT_EQ(table.rows.size(), 4U);
    EXPECT_EQ(row(table, 0), (std::vector<ordered_json>{"0-10", 3, "first", 100.0 * (2.0 / 8), 1.0}));
    EXPECT_EQ(row(table, 1), (std::vector<ordered_json>{"0-10", 3, "second", 100.0 * (2.0 / 8), 9.0 / 8}));
    EXPECT_EQ(row(table, 3), (std::vector<ordered_json>{"11-20", 1, "second", 100.0 * (1.0 / 11), 1.0}));
}

TEST_F(Breakdown, ByTheRarestWordOfTheSource) {
    input_.systems.resize(1);
    const Lines source{"common", "common rare", "common unseen", ""};
    Lines training(1500, "common");
    training.push_back("rare common");
    const WordCounts counts = count_words(training, input_.words);
    EXPECT_EQ(counts.at("common"), 1501);
    const Table table = by_rarest_word(input_, source, counts);
    EXPECT_EQ(table.columns, (Lines{"times seen", "sentences", "TER", "length ratio"}));
    ASSERT_EQ(table.rows.size(), 4U);
    EXPECT_EQ(row(table, 0), (std::vector<ordered_json>{"0", 1, 0.0, 1.0}));
    EXPECT_EQ(row(table, 1), (std::vector<ordered_json>{"1", 1, 50.0, 1.0}));
    EXPECT_EQ(row(table, 2), (std::vector<ordered_json>{"1000+", 1, 0.0, 1.0}));
    EXPECT_EQ(row(table, 3), (std::vector<ordered_json>{"no words", 1, 0.0, 1.0}));
}

TEST_F(Breakdown, WordsByTheirFrequency) {
    const Table table = by_word_frequency(input_, {{"the", 5}, {"runs", 1}});
    EXPECT_EQ(table.columns, (Lines{"times seen", "in references", "system", "precision", "recall", "F"}));
    ASSERT_EQ(table.rows.size(), 12U);
    // Unseen: 17 words in the references; the first system has "x" and "y" in place of "fast".
    EXPECT_EQ(row(table, 0),
              (std::vector<ordered_json>{"0", 17, "first", 100.0 * 16 / 18, 100.0 * 16 / 17, 100.0 * 32 / 35}));
    // "runs": the first system has it nowhere, so it has no precision.
    EXPECT_EQ(row(table, 2), (std::vector<ordered_json>{"1", 1, "first", nullptr, 0.0, 0.0}));
    EXPECT_EQ(row(table, 3), (std::vector<ordered_json>{"1", 1, "second", 100.0, 100.0, 100.0}));
    EXPECT_EQ(row(table, 4), (std::vector<ordered_json>{"2-9", 1, "first", 100.0, 100.0, 100.0}));
    EXPECT_EQ(row(table, 6), (std::vector<ordered_json>{"10-99", 0, "first", nullptr, nullptr, nullptr}));
}

TEST_F(Breakdown, GreatestChangesKnowThatLessTerIsBetter) {
    const Changes changes = greatest_changes(*metric_, statistics_[0], statistics_[1], 2);
    ASSERT_EQ(changes.gained.size(), 1U);
    EXPECT_EQ(changes.gained[0].sentence, 1U);
    EXPECT_EQ(changes.gained[0].before, 50.0);
    EXPECT_EQ(changes.gained[0].after, 0.0);
    ASSERT_EQ(changes.lost.size(), 2U);  // by 100, 33 and 9
    EXPECT_EQ(changes.lost[0].sentence, 2U);
    EXPECT_EQ(changes.lost[1].sentence, 0U);
    const Lines source{"s0", "s1", "s2", "s3"};
    EXPECT_EQ(format_changes(greatest_changes(*metric_, statistics_[0], statistics_[1], 1), *metric_, input_.systems[0],
                             input_.systems[1], references_, &source, 1),
              "Sentences that gained most from first to second (TER of the sentence)\n"
              "line 2: 50.0 -> 0.0\n"
              "  source     s1\n"
              "  reference  a dog runs fast\n"
              "  before     a dog x y\n"
              "  after      a dog runs fast\n"
              "\n"
              "Sentences that lost most from first to second (TER of the sentence)\n"
              "line 3: 0.0 -> 100.0\n"
              "  source     s2\n"
              "  reference  one\n"
              "  before     one\n"
              "  after      one two\n");
    const ordered_json report =
        changes_as_json(changes, *metric_, input_.systems[0], input_.systems[1], references_, nullptr);
    EXPECT_EQ(report.at("gained").at(0).at("line"), 2);
    EXPECT_EQ(report.at("lost").at(1).at("references"), Lines{"the cat sat"});
}

TEST(Tables, AlignTextsLeftAndFiguresRight) {
    const Table table{"Title", {"name", "n"}, {{"größer", 7}, {"x", 12.345}, {"y", nullptr}}};
    EXPECT_EQ(format_table(table, 2),
              "Title\n"
              "name        n\n"
              "größer      7\n"
              "x       12.35\n"
              "y           -\n");
    EXPECT_EQ(table_as_json(table).dump(),
              R"({"title":"Title","rows":[{"name":"größer","n":7},{"name":"x","n":12.345},{"name":"y","n":null}]})");
}

}  // namespace
}  // namespace softalign

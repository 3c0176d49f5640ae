// One table says what may be asked of a search: a configuration, the command line and the library take the same.
#include <gtest/gtest.h>
#include <softalign/translator.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <set>
#include <string>
#include <vector>

#include "base/has.h"
#include "cli/fixtures.h"
#include "cli/search_options.h"
#include "config/load.h"
#include "config/yaml_tree.h"
#include "embed/number_options.h"

namespace softalign {
namespace {

// The message with which the action is refused, empty where it is not.
template <typename Action>
std::string refusal_of(const Action& action) {
    try {
        action();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

// Options that only the command line has.
const std::set<std::string> not_offered = {};

class SearchTable : public testing::Test {
protected:
    void SetUp() override { write_model(folder_.path("model")); }

    static std::string in_a_configuration(const Key& key, const std::string& value) {
        return refusal_of([&] { parse_config("search:\n  " + name_of(key.path) + ": " + value, "file", "", {}); });
    }

    static std::string on_the_command_line(const Key& key, const std::string& value) {
        SearchArguments arguments;
        CLI::App command;
        add_search_options(command, arguments);
        add_request_options(command, arguments);
        std::vector<std::string> words = {key.option + "=" + value};
        if (!key.needs.empty()) {
            words.push_back(key.needs == "search.sampling" ? "--sample" : "--diverse-groups=1");
        }
        const std::string refusal = refusal_of([&] { command.parse(words); });
        EXPECT_EQ(refusal.empty(), arguments.given.count(key.path) == 1) << refusal;
        return refusal;
    }

    template <typename Number>
    std::string in_the_library(const std::vector<NumberOption<Number>>& options, const Key& key, Number value) const {
        const auto option = std::find_if(options.begin(), options.end(),
                                         [&](const auto& one) { return one.name == name_of(key.path); });
        EXPECT_EQ(option == options.end(), not_offered.count(name_of(key.path)) == 1);
        if (option == options.end()) {
            return "";
        }
        Translator::Options asked;
        option->set(asked, value);
        const Translator translator(folder_.path("model"));
        return refusal_of([&] { translator.translate({}, asked); });
    }

    // Whether the value is refused or not for what the key may be; rules between keys are of no concern here.
    template <typename Number>
    void expect_everywhere(const std::vector<NumberOption<Number>>& options, const Key& key, Number value) const {
        const std::string text = format_value(value, key.type);
        SCOPED_TRACE(key.path + " = " + text);
        const bool refused = !allows(key, Value(value));
        EXPECT_EQ(has(on_the_command_line(key, text), "expected " + expected_text(key)), refused);
        if (key.of_request) {
            EXPECT_TRUE(has(in_a_configuration(key, text), "use the option " + key.option));
        } else {
            EXPECT_EQ(has(in_a_configuration(key, text), "expected " + expected_text(key)), refused);
        }
        const std::string refusal = in_the_library(options, key, value);
        EXPECT_EQ(has(refusal, name_of(key.path) + " must be " + expected_text(key)),
                  refused && not_offered.count(name_of(key.path)) == 0)
            << refusal;
    }

    const TemporaryFolder folder_;
};

TEST_F(SearchTable, HasOneRangeForEachNumberWhereverItIsGiven) {
    int numbers = 0;
    for (const Key& key : search_schema()) {
        const auto least = key.allowed.minimum;
        const auto most = key.allowed.maximum;
        numbers += key.type == ValueType::integer || key.type == ValueType::number ? 1 : 0;
        if (key.type == ValueType::integer) {
            for (const double value : {least - 1, least, most, most + 1}) {
                expect_everywhere(whole_numbers(), key, static_cast<std::int64_t>(value));
            }
        } else if (key.type == ValueType::number) {
            for (const double value : {least - 1e-9, least, least + 1e-9, most, most + 1e-9}) {
                expect_everywhere(real_numbers(), key, value);
            }
        }
        if (key.type == ValueType::integer || key.type == ValueType::number) {
            EXPECT_TRUE(std::isfinite(least) && std::isfinite(most)) << key.path << " has no limit";
        }
    }
    EXPECT_GT(numbers, 15);
}

TEST_F(SearchTable, HasTheDefaultsOfTheLibrary) {
    const SearchConfig search;
    const Translator::Options options;
    const Translator::Sampling sampling;
    EXPECT_EQ(options.n_best, search.n_best);
    EXPECT_EQ(options.groups, search.groups);
    EXPECT_EQ(options.diversity, search.diversity);
    EXPECT_EQ(options.sampling.has_value(), search.sampling);
    EXPECT_EQ(sampling.temperature, search.temperature);
    EXPECT_EQ(sampling.top_k, search.top_k);
    EXPECT_EQ(sampling.top_p, search.top_p);
    EXPECT_EQ(sampling.seed, search.seed);
    EXPECT_EQ(options.max_source_length, search.max_source_length);
}

TEST_F(SearchTable, RulesHoldOnTheCommandLineAndInTheLibrary) {
    const Translator translator(folder_.path("model"));
    Translator::Options options;
    options.beam = 4;
    options.n_best = 5;
    EXPECT_EQ(refusal_of([&] { translator.translate({}, options); }),
              "translation options: beam must be at least n_best; now n_best is 5 and beam is 4");
    SearchArguments arguments;
    arguments.given = {{"search.n_best", std::int64_t{5}}, {"search.beam", std::int64_t{4}}};
    EXPECT_EQ(refusal_of([&] { arguments.apply({}); }),
              "--n-best 5: --beam must be at least --n-best; now --n-best is 5 and --beam is 4");
}

}  // namespace
}  // namespace softalign

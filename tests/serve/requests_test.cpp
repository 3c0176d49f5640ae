#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "base/has.h"
#include "base/random.h"
#include "serve/requests.h"

namespace softalign {
namespace {

TEST(TextLinesTest, WhatIsNotTranslatedStays) {
    const TextLines text("\n  one two\t\r\n\n \nthree");
    EXPECT_EQ(text.sentences(), (std::vector<std::string>{"one two", "three"}));
    EXPECT_EQ(text.joined({"A", "B"}), "\n  A\t\r\n\n \nB");
    EXPECT_EQ(TextLines("").joined({}), "");
    EXPECT_EQ(TextLines(" \n").joined({}), " \n");
}

TEST(TextLinesTest, JoinedAsItWasItIsTheSame) {
    Random random(3);
    const std::string letters = "a b\n\t\r";
    for (int i = 0; i < 2000; ++i) {
        std::string text;
        for (std::size_t length = random.below(20); text.size() < length;) {
            text += letters[random.below(letters.size())];
        }
        const TextLines lines(text);
        EXPECT_EQ(lines.joined(lines.sentences()), text);
        for (const std::string& sentence : lines.sentences()) {
            EXPECT_FALSE(sentence.empty() || has(sentence, "\n"));
        }
    }
}

TEST(SearchOfTest, TakesTheOptionsOfTheConfiguration) {
    const SearchConfig search =
        search_of({}, R"({"beam": 3, "length_alpha": 0, "length_norm": "wu", "forbid_unk": true, "n_best": 2})");
    EXPECT_EQ(search.beam, 3);
    EXPECT_EQ(search.length_alpha, 0.0);
    EXPECT_EQ(search.length_norm, LengthNorm::wu);
    EXPECT_TRUE(search.forbid_unk);
    EXPECT_EQ(search.n_best, 2);
    for (const std::string options :
         {R"({"beam": "3"})", R"({"beam": 18446744073709551615})", R"({"length_norm": "x"})", R"({"forbid_unk": 1})",
          R"({"batch_size": 4})", R"({"shortlist": true})", R"({"nothing": 1})", R"({"n_best": 9})",
          R"({"length_alpha": 1e400})"}) {
        try {
            search_of({}, options);
            ADD_FAILURE() << options;
        } catch (const RequestError& error) {
            EXPECT_EQ(error.status(), 400) << options;
        } catch (const std::exception& error) {
            // A number that JSON cannot hold never gets so far: the body is then no JSON.
            EXPECT_TRUE(has(options, "1e400")) << error.what();
        }
    }
}

}  // namespace
}  // namespace softalign

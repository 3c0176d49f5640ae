#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <string>

#include "base/has.h"
#include "serve/requests.h"

namespace softalign {
namespace {

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

HttpRequest request_with(const std::string& body) {
    HttpRequest request;
    request.body = body;
    return request;
}

// The status of the refusal; 0 if it is read.
int status_of(const std::string& body, std::size_t most_bytes = 10000) {
    try {
        own_request(request_with(body), most_bytes);
    } catch (const RequestError& error) {
        return error.status();
    }
    return 0;
}

TEST(OwnRequestTest, DeepNestingIsRefused) {
    EXPECT_EQ(status_of(R"({"text": ["a"], "phrases": [["b"]]})"), 0);
    constexpr std::size_t depth = 300000;  // recursion so deep would need more stack than there is
    const std::string nested = std::string(depth, '[') + std::string(depth, ']');
    for (const std::string member : {"phrases", "options", "split", "glossary", "text", "prefix"}) {
        EXPECT_EQ(status_of(R"({"text": "a", ")" + member + "\": " + nested + "}"), 400) << member;
    }
    const std::string libre = R"({"q": "a", "source": "en", "target": "de", "alternatives": )" + nested + "}";
    EXPECT_THROW(libre_request(request_with(libre), 10000), RequestError);
}

TEST(OwnRequestTest, NullIsNoValue) {
    for (const std::string member : {"source", "target", "prefix", "phrases", "options", "attention", "split", "format",
                                     "keep_spans", "glossary", "repair"}) {
        EXPECT_EQ(status_of(R"({"text": "a", ")" + member + "\": null}"), 0) << member;
    }
    EXPECT_FALSE(own_request(request_with(R"({"text": "a", "keep_spans": null})"), 100).keep_spans.has_value());
    EXPECT_EQ(status_of(R"({"text": null})"), 400);
    EXPECT_EQ(search_of(SearchConfig(), R"({"beam": null})").beam, SearchConfig().beam);
}

TEST(OwnRequestTest, PrefixesAndPhrasesAreTextOfEverySentence) {
    const std::string sentences = R"({"text": ["aaaa", "bbbb", "cccc"], )";
    EXPECT_EQ(status_of(R"({"text": ["aaaa", "bbbb", "cccc"]})", 14), 0);
    EXPECT_EQ(status_of(R"({"text": ["aaaa", "bbbb", "cccc"]})", 13), 413);
    EXPECT_EQ(status_of(sentences + R"("prefix": "dddd"})", 29), 0);
    EXPECT_EQ(status_of(sentences + R"("prefix": "dddd"})", 28), 413);
    EXPECT_EQ(status_of(sentences + R"("phrases": ["d", "e"]})", 26), 0);
    EXPECT_EQ(status_of(sentences + R"("phrases": ["d", "e"]})", 25), 413);
    EXPECT_EQ(status_of(sentences + R"("phrases": [["d"], [], ["e"]]})", 18), 0);
}

}  // namespace
}  // namespace softalign

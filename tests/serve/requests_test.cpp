#include <gtest/gtest.h>

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

}  // namespace
}  // namespace softalign

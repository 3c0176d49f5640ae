#include "serve/json_tree.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "platform/tight_memory.h"

namespace softalign {
namespace {

TEST(JsonTree, IsWhatTheTextSays) {
    for (const std::string text : {R"({"a":[1,"]}",{"b":null}],"c":"\\\"[{"})", "[]", "3", R"(" [[[ ")"}) {
        EXPECT_EQ(JsonTree(" " + text + "\n", 3).root().dump(), text);
    }
    JsonTree tree("[1,[2]]", 2);
    EXPECT_EQ(JsonTree(std::move(tree)).root().dump(), "[1,[2]]");
}

TEST(JsonTree, RefusesWhatIsNone) {
    for (const std::string text : {"", "[1", "[1]]", "{\"a\" 3}", "\"\xFF\"", "[1] 2", "nul", "[1]\v"}) {
        EXPECT_ANY_THROW(JsonTree(text, 8)) << text;
    }
    EXPECT_NO_THROW(JsonTree("[[[]],[[]]]", 3));
    EXPECT_THROW(JsonTree("[[[[]]]]", 3), std::length_error);
}

// Wherever memory runs out, and where there is none left when it goes.
TEST(JsonTree, NeedsNoMemoryToGo) {
    expect_success_in_own_process([] {
        std::string text = "{\"q\":[";
        for (int i = 0; i < 20000; ++i) {
            text += "\"a text that is longer than a short one\",[\"b\"],";
        }
        text += "{}]}";
        constexpr std::uint64_t kibibyte = 1024;
        std::size_t failures = 0;
        for (std::uint64_t room = 0; room <= 16384; room += 128) {
            try {
                const TightMemory tight(room * kibibyte);
                const JsonTree tree(text, 8);
            } catch (const std::bad_alloc&) {
                ++failures;
            }
        }
        EXPECT_GT(failures, 5U);
        EXPECT_LT(failures, 120U);
        std::optional<JsonTree> tree(std::in_place, text, 8);
        const TightMemory tight(0);
        while (::operator new(kibibyte, std::nothrow) != nullptr) {
        }
        tree.reset();
    });
}

}  // namespace
}  // namespace softalign

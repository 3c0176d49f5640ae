#include "kernels/instruction_sets.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "kernels/product_blocks.h"

namespace softalign {
namespace {

// ctest runs these tests with each value of the variable.
TEST(InstructionSets, AreNoMoreThanTheEnvironmentAllows) {
    const char* const limit = std::getenv("SOFTALIGN_INSTRUCTIONS");
    const std::set<std::string> none = {"none"};
    const std::map<std::string, std::set<std::string>> within = {{"none", none},
                                                                 {"dotprod", {"none", "dotprod"}},
                                                                 {"avx2", {"none", "avx2"}},
                                                                 {"avx_vnni", {"none", "avx2", "avx_vnni"}}};
    const auto found = within.find(limit == nullptr ? "" : limit);
    if (found != within.end()) {
        EXPECT_EQ(found->second.count(name_of(instructions())), 1U) << name_of(instructions());
    }
}

TEST(InstructionSets, AProductUsesNoMoreThanThose) {
    // Kernels for AVX-512 take eight rows at a time, the others two.
    EXPECT_EQ(product_kernels<float>(Rows::one_after_another).most_rows,
              instructions() == Instructions::avx512 ? 8 : 2);
}

TEST(InstructionSets, ABodyRunsOnce) {
    int runs = 0;
    int* const count = &runs;
    EXPECT_EQ(with_best_instructions([=]() SOFTALIGN_INLINE_BODY { return ++*count; }), 1);
    EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace softalign

#include "kernels/instruction_sets.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "kernels/product_blocks.h"
#include "kernels/tiles.h"

namespace softalign {
namespace {

// ctest runs these tests with each value of the variable.
TEST(InstructionSets, AreNoMoreThanTheEnvironmentAllows) {
    const char* const limit = std::getenv("SOFTALIGN_INSTRUCTIONS");
    const std::set<std::string> none = {"none"};
    const std::map<std::string, std::set<std::string>> within = {{"none", none},
                                                                 {"dotprod", {"none", "dotprod"}},
                                                                 {"avx2", {"none", "avx2"}},
                                                                 {"avx_vnni", {"none", "avx2", "avx_vnni"}},
                                                                 {"avx512", {"none", "avx2", "avx_vnni", "avx512"}}};
    const auto found = within.find(limit == nullptr ? "" : limit);
    if (found != within.end()) {
        EXPECT_EQ(found->second.count(name_of(instructions())), 1U) << name_of(instructions());
    }
}

TEST(InstructionSets, AProductUsesNoMoreThanThose) {
    // Kernels for AVX-512 take eight rows at a time, those for tiles sixteen, the others two.
    const std::int64_t of_floats = instructions() >= Instructions::avx512 ? 8 : 2;
    EXPECT_EQ(product_kernels<float>(Rows::one_after_another).most_rows, of_floats);
    const std::int64_t of_pairs = may_use_amx() ? tile_rows : may_use_avx512_bf16() ? 8 : 2;
    EXPECT_EQ(product_kernels<Bfloat16Pair>(Rows::one_after_another).most_rows, of_pairs);
    EXPECT_EQ(may_use_amx(), instructions() == Instructions::amx);
}

TEST(InstructionSets, ABodyRunsOnce) {
    int runs = 0;
    int* const count = &runs;
    EXPECT_EQ(with_best_instructions([=]() SOFTALIGN_INLINE_BODY { return ++*count; }), 1);
    EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace softalign

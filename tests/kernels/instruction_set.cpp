// Skips the tests of kernels that are compiled for an instruction set which the processor lacks.
#include <gtest/gtest.h>

namespace softalign {
namespace {

class InstructionSet : public testing::Environment {
public:
    void SetUp() override {
        if (__builtin_cpu_supports(SOFTALIGN_INSTRUCTION_SET) == 0) {
            GTEST_SKIP() << "the processor has no " SOFTALIGN_INSTRUCTION_SET;
        }
    }
};

const testing::Environment* const environment = testing::AddGlobalTestEnvironment(new InstructionSet);

}  // namespace
}  // namespace softalign

// The tests calculate with the kernels of the BLAS that the program takes, not with those that OpenBLAS falls back to
// on a processor it does not know.
#include <gtest/gtest.h>

#include "platform/blas.h"
#include "platform/blas_kernels.h"

namespace softalign {
namespace {

class ProgramKernels : public testing::Environment {
public:
    void SetUp() override { choose_blas_kernels(BlasLibrary()); }
};

const testing::Environment* const environment = testing::AddGlobalTestEnvironment(new ProgramKernels);

}  // namespace
}  // namespace softalign

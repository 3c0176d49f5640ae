#include "platform/blas.h"

#include <stdlib.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "platform/processor.h"

namespace softalign {
namespace {

TEST(Blas, SaysWhatItIs) {
    const BlasInfo info = blas_info();
    EXPECT_FALSE(info.name.empty());
    EXPECT_TRUE(info.library == "inside LibTorch" || info.library.front() == '/') << info.library;
    EXPECT_EQ(info.reference, info.name == "reference BLAS");
    if (info.name.rfind("OpenBLAS", 0) == 0 && info.library != "inside LibTorch") {
        EXPECT_FALSE(info.kernels.empty());
    }
}

TEST(Blas, MeasuresASpeed) {
    EXPECT_GT(measure_sgemm(128), 0.0);
}

TEST(Blas, TheReferenceOneGetsLoudAdvice) {
    const std::string advice = blas_advice({"reference BLAS", "", "/usr/lib/libblas.so.3", true});
    EXPECT_NE(advice.find("reference BLAS (/usr/lib/libblas.so.3)"), std::string::npos);
    EXPECT_NE(advice.find("sudo apt-get install libopenblas0-pthread"), std::string::npos);
}

// OPENBLAS_CORETYPE as it was, at the end of a test.
class BlasCoreType : public testing::Test {
protected:
    void SetUp() override {
        const char* const value = std::getenv(variable_);
        before_ = value == nullptr ? std::nullopt : std::optional<std::string>(value);
    }
    void TearDown() override {
        if (before_) {
            ::setenv(variable_, before_->c_str(), 1);
        } else {
            ::unsetenv(variable_);
        }
    }

    const char* const variable_ = "OPENBLAS_CORETYPE";
    std::optional<std::string> before_;
};

TEST_F(BlasCoreType, AnOptimisedBlasGetsNoAdvice) {
    ::unsetenv(variable_);
    EXPECT_EQ(blas_advice({"OpenBLAS 0.3.21", "SkylakeX", "/usr/lib/libopenblas.so.0", false}), "");
    EXPECT_EQ(blas_advice({"MKL 2024.0", "", "inside LibTorch", false}), "");
}

TEST_F(BlasCoreType, ForcedSlowKernelsAreNamed) {
    ::setenv(variable_, "Haswell", 1);
    const std::string advice = blas_advice({"OpenBLAS 0.3.21", "Haswell", "/usr/lib/libopenblas.so.0", false});
    if (processor_has_avx512()) {
        EXPECT_NE(advice.find("OPENBLAS_CORETYPE=Haswell"), std::string::npos) << advice;
    } else {
        EXPECT_EQ(advice, "");
    }
}

}  // namespace
}  // namespace softalign

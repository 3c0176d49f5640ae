#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "base/error.h"

namespace softalign {

// A test with a directory of its own, which goes with it.
class InTemporaryDirectory : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "softalign_storage_XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::string path(const std::string& name) const { return directory_ + "/" + name; }

    std::string directory_;
};

// The message of the Error that `body` throws, of the code expected.
template <typename Body>
std::string fault(ExitCode code, Body body) {
    try {
        body();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        return error.what();
    }
    return "no error";
}

}  // namespace softalign

#pragma once

#include <gtest/gtest.h>

namespace softalign {

// Ends the process, naming the test, where one takes longer than any of them should.
class TimeLimit : public testing::EmptyTestEventListener {
public:
    void OnTestProgramStart(const testing::UnitTest& program) override;
    void OnTestStart(const testing::TestInfo& test) override;
    void OnTestEnd(const testing::TestInfo& test) override;
};

}  // namespace softalign

#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace softalign {

// Writes a line when a program starts for each test that it will run, "planned SUITE.TEST", and one when a test ends:
// "passed", "failed" or "skipped SUITE.TEST". A planned test without an end was under way, or still to come, when the
// process died. Every line is in the file before the next test starts.
class ResultFile : public testing::EmptyTestEventListener {
public:
    explicit ResultFile(const std::string& path);
    ~ResultFile() override;

    void OnTestProgramStart(const testing::UnitTest& program) override;
    void OnTestEnd(const testing::TestInfo& test) override;

private:
    void write(std::string_view what, const testing::TestInfo& test) const;

    int file_ = -1;
};

// While it lives, std::exit ends the process with a status other than 0: a test that calls it must not hide the tests
// behind it.
class ExitInTheMiddle {
public:
    ExitInTheMiddle();
    ~ExitInTheMiddle();
    ExitInTheMiddle(const ExitInTheMiddle&) = delete;
    ExitInTheMiddle& operator=(const ExitInTheMiddle&) = delete;
};

}  // namespace softalign

#include "runner/result_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

namespace softalign {

namespace {

pid_t running = 0;  // the process whose tests have not ended; 0 = none

void refuse_exit() {
    if (running == ::getpid()) {
        std::cerr << "a test ended the process\n";
        std::_Exit(1);
    }
}

}  // namespace

ResultFile::ResultFile(const std::string& path) {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (file_ < 0) {
        std::cerr << path << ": cannot be written; the results are not recorded\n";
        std::exit(2);
    }
}

ResultFile::~ResultFile() {
    ::close(file_);
}

void ResultFile::OnTestProgramStart(const testing::UnitTest& program) {
    for (int s = 0; s < program.total_test_suite_count(); ++s) {
        const testing::TestSuite& suite = *program.GetTestSuite(s);
        for (int t = 0; t < suite.total_test_count(); ++t) {
            if (suite.GetTestInfo(t)->should_run()) {
                write("planned", *suite.GetTestInfo(t));
            }
        }
    }
}

void ResultFile::OnTestEnd(const testing::TestInfo& test) {
    const testing::TestResult& result = *test.result();
    write(result.Failed() ? "failed" : result.Skipped() ? "skipped" : "passed", test);
}

void ResultFile::write(std::string_view what, const testing::TestInfo& test) const {
    const std::string line = std::string(what) + " " + test.test_suite_name() + "." + test.name() + "\n";
    if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
        ADD_FAILURE() << "the result cannot be written";
    }
}

ExitInTheMiddle::ExitInTheMiddle() {
    running = ::getpid();
    std::atexit(refuse_exit);
}

ExitInTheMiddle::~ExitInTheMiddle() {
    running = 0;
}

}  // namespace softalign

// The main of every test program. Beside GoogleTest's options:
//
//   --file=NAME     run only the tests written in this source file
//   --results=FILE  write what becomes of each test to FILE
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "runner/process_state.h"
#include "runner/result_file.h"
#include "runner/time_limit.h"

namespace softalign {
namespace {

// The value of "--name=value" among the arguments; empty if it is not there.
std::string option(int argc, char** argv, std::string_view name) {
    const std::string start = "--" + std::string(name) + "=";
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument.substr(0, start.size()) == start) {
            return std::string(argument.substr(start.size()));
        }
    }
    return "";
}

// A filter for the tests of a file; empty if it has none.
std::string tests_of(const std::string& file) {
    std::string filter;
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    for (int s = 0; s < all.total_test_suite_count(); ++s) {
        const testing::TestSuite& suite = *all.GetTestSuite(s);
        for (int t = 0; t < suite.total_test_count(); ++t) {
            const testing::TestInfo& test = *suite.GetTestInfo(t);
            const std::string_view path = test.file();
            if (path.substr(path.find_last_of('/') + 1) == file) {
                filter += std::string(filter.empty() ? "" : ":") + suite.name() + "." + test.name();
            }
        }
    }
    return filter;
}

// The process that a death test starts anew has its parent's arguments, and a filter of its own behind them.
bool is_death_test(int argc, char** argv) {
    return !option(argc, argv, "gtest_internal_run_death_test").empty();
}

int run(int argc, char** argv) {
    const std::string file = option(argc, argv, "file");
    const std::string results = option(argc, argv, "results");
    const bool death_test = is_death_test(argc, argv);
    testing::InitGoogleTest(&argc, argv);
    if (death_test) {
        return RUN_ALL_TESTS();
    }
    if (!file.empty()) {
        const std::string filter = tests_of(file);
        if (filter.empty()) {
            std::cerr << argv[0] << ": no test is written in " << file << "\n";
            return 2;
        }
        GTEST_FLAG_SET(filter, filter);
    }
    // The end of a test is told to them from the last to the first: what the others find belongs to the result.
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    if (!results.empty()) {
        listeners.Append(new ResultFile(results));
    }
    listeners.Append(new TimeLimit());
    listeners.Append(new UnchangedProcess());
    const ExitInTheMiddle guard;
    return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace softalign

int main(int argc, char** argv) {
    return softalign::run(argc, argv);
}

#include "runner/time_limit.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

namespace softalign {

namespace {

// The slowest test takes seconds; ThreadSanitizer and a busy machine make minutes of them.
constexpr unsigned default_seconds = 600;

std::string message;  // made before the signal can come

void stop(int /*signal*/) {
    (void)!::write(STDERR_FILENO, message.data(), message.size());
    ::_exit(1);
}

unsigned limit() {
    const char* const given = std::getenv("SOFTALIGN_TEST_SECONDS");
    return given == nullptr ? default_seconds : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}

}  // namespace

void TimeLimit::OnTestProgramStart(const testing::UnitTest& /*program*/) {
    struct sigaction action {};
    action.sa_handler = stop;
    ::sigaction(SIGALRM, &action, nullptr);
}

void TimeLimit::OnTestStart(const testing::TestInfo& test) {
    message = "\n" + std::string(test.test_suite_name()) + "." + test.name() + " takes longer than " +
              std::to_string(limit()) + " seconds: it hangs\n";
    ::alarm(limit());
}

void TimeLimit::OnTestEnd(const testing::TestInfo& /*test*/) {
    ::alarm(0);
}

}  // namespace softalign

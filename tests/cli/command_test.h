#pragma once

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>

#include "cli/fixtures.h"
#include "cli/run_command.h"

namespace softalign {

// Tests of a command: what it logs goes to log_, and its files to folder_, which is gone with the test.
class CommandTest : public testing::Test {
protected:
    CommandTest() : previous_logger_(spdlog::default_logger()) {
        spdlog::set_default_logger(
            std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_)));
    }
    ~CommandTest() override { spdlog::set_default_logger(previous_logger_); }

    TemporaryFolder folder_;
    std::ostringstream log_;

private:
    std::shared_ptr<spdlog::logger> previous_logger_;
};

}  // namespace softalign

#pragma once

#include <gtest/gtest.h>

#include "base/captured_log.h"
#include "cli/fixtures.h"
#include "cli/run_command.h"

namespace softalign {

// Tests of a command: what it logs goes to log_, and its files to folder_, which is gone with the test.
class CommandTest : public testing::Test {
protected:
    TemporaryFolder folder_;
    const CapturedLog log_;
};

}  // namespace softalign

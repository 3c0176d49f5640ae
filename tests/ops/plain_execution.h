#pragma once

#include "ops/execution.h"

namespace softalign {

// No packed weights, no rounding and no dropout.
inline const Execution plain_execution{nullptr, nullptr};

}  // namespace softalign

#pragma once

#include <map>
#include <string>

#include "train/run_state.h"
#include "train/validator.h"

namespace softalign {

// What a model file says of itself: when its weights were saved, and how they did in a validation (may be null).
std::map<std::string, std::string> model_metadata(const RunState& state, const ValidationResult* result);

}  // namespace softalign

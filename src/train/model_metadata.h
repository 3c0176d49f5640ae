#pragma once

#include <map>
#include <string>

#include "train/run_state.h"
#include "train/validator.h"

namespace softalign {

// The metadata of a model file: when its weights were saved, and their validation result (may be null).
std::map<std::string, std::string> model_metadata(const RunState& state, const ValidationResult* result);

}  // namespace softalign

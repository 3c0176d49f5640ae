#pragma once

#include <string>

#include "config/config.h"

namespace softalign {

// spdlog's default logger: stderr (coloured on a terminal, short) and, where `file` is not empty, the file too (with
// dates; appended). Use spdlog::info and its like everywhere else; what is logged while a progress bar stands appears
// above it. Throws Error(output) where the file cannot be opened. May be called again to add the file.
void set_up_logging(LogLevel level, const std::string& file = "");

}  // namespace softalign

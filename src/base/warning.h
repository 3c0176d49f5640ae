#pragma once

#include <string>

namespace softalign {

// Tells the user of something that is no error. Before handle_warnings, nobody is told: libsoftalign.so prints nothing.
// Threads may call it at the same time.
void warn(const std::string& message);

// From now on, `handler` gets what is warned of; null: nobody.
using WarningHandler = void (*)(const std::string& message);
void handle_warnings(WarningHandler handler);

}  // namespace softalign

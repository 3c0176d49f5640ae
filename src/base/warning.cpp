#include "base/warning.h"

#include <atomic>
#include <string>

namespace softalign {

namespace {

std::atomic<WarningHandler> current{nullptr};

}  // namespace

void warn(const std::string& message) {
    if (const WarningHandler handler = current) {
        handler(message);
    }
}

void handle_warnings(WarningHandler handler) {
    current = handler;
}

}  // namespace softalign

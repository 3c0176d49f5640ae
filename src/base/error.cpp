#include "base/error.h"

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <system_error>

namespace softalign {

namespace {

std::string without_nul(std::string text) {
    for (std::size_t i = text.find('\0'); i != std::string::npos; i = text.find('\0', i)) {
        text.replace(i, 1, "\\x00");
    }
    return text;
}

}  // namespace

Error::Error(ExitCode code, const std::string& message) : std::runtime_error(without_nul(message)), code_(code) {}

std::string errno_text(int error_number) {
    return std::generic_category().message(error_number);
}

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

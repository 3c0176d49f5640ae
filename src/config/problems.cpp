#include "config/problems.h"

#include "base/error.h"

namespace softalign {

void Problems::add(const std::string& place, const std::string& what) {
    lines_.push_back(place + ": " + what);
}

void Problems::throw_if_any() const {
    constexpr std::size_t most = 20;
    if (lines_.empty()) {
        return;
    }
    std::string message;
    for (std::size_t i = 0; i < lines_.size() && i < most; ++i) {
        message += (i == 0 ? "" : "\n") + lines_[i];
    }
    if (lines_.size() > most) {
        message += "\nand " + std::to_string(lines_.size() - most) + " more";
    }
    throw Error(ExitCode::configuration, message);
}

}  // namespace softalign

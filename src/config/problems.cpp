#include "config/problems.h"

#include <cstddef>
#include <string>

#include "base/error.h"

namespace softalign {

void Problems::add(const std::string& place, const std::string& what) {
    lines_.push_back(place + ": " + what);
}

void Problems::throw_if_any() const {
    if (lines_.empty()) {
        return;
    }
    std::string message = lines_.front();
    for (std::size_t i = 1; i < lines_.size(); ++i) {
        message += "\n" + lines_[i];
    }
    throw Error(ExitCode::configuration, message + (full() ? "\nand perhaps more" : ""));
}

}  // namespace softalign

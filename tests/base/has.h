#pragma once

#include <string>

namespace softalign {

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace softalign

#pragma once

#include <string>

namespace softalign {

// JSON (nlohmann's) as text. Strings may hold any bytes, such as names of files: what is not UTF-8 becomes U+FFFD.
// `indent` below 0: on one line.
template <typename Json>
std::string json_text(const Json& json, int indent = -1) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace softalign

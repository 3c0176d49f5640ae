#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"

namespace softalign {

// A JSON object that is written member by member. The destructor of nlohmann's trees takes memory, and ends the program
// where there is none, so what may be long is text from the beginning.
class JsonObjectText {
public:
    // `name`: needs no escapes.
    template <typename Json>
    void add(std::string_view name, const Json& value) {
        add_text(name, json_text(value));
    }
    void add_text(std::string_view name, std::string_view json) {
        text_.append(text_.empty() ? "{\"" : ",\"").append(name).append("\":").append(json);
    }

    std::string text() const { return text_.empty() ? "{}" : text_ + "}"; }

private:
    std::string text_;
};

inline std::string json_list_text(const std::vector<std::string>& values) {
    std::string text = "[";
    for (const std::string& value : values) {
        text.append(text.size() > 1 ? "," : "").append(value);
    }
    return text + "]";
}

}  // namespace softalign

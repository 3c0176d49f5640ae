#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/load.h"
#include "config/schema.h"
#include "config/yaml_tree.h"

namespace softalign {

using Overrides = std::vector<std::string>;

// A file "config.yaml" in /base.
inline Config parse(const std::string& yaml, const Overrides& overrides = {}) {
    return parse_config(yaml, "config.yaml", "/base", overrides);
}

// The message with which the text is refused; empty, and a failure, where it is not.
inline std::string refusal(const std::string& yaml, const Overrides& overrides = {}) {
    try {
        parse(yaml, overrides);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::configuration);
        return error.what();
    }
    ADD_FAILURE() << "accepted: " << yaml;
    return "";
}

inline void expect_contains(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << text;
}

inline void expect_same_value(const Key& key, const Config& a, const Config& b) {
    const Value left = key.get(a);
    const Value right = key.get(b);
    EXPECT_EQ(left, right) << key.path;
    if (key.type == ValueType::number) {  // the sign of zero included
        EXPECT_EQ(std::signbit(std::get<double>(left)), std::signbit(std::get<double>(right))) << key.path;
    }
}

inline void expect_same_config(const Config& a, const Config& b) {
    for (const Key& key : schema()) {
        expect_same_value(key, a, b);
    }
}

// "a:\n  b:\n    c: VALUE" for the key a.b.c, the value on line depth + 1.
inline std::string yaml_for(const std::string& path, const std::string& value) {
    std::string text;
    std::string indentation;
    std::size_t start = 0;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', start)) {
        text += indentation + path.substr(start, dot - start) + ":\n";
        indentation += "  ";
        start = dot + 1;
    }
    return text + indentation + path.substr(start) + ": " + value + "\n";
}

// "config.yaml:LINE:COLUMN" of that value.
inline std::string place_in_yaml_for(const std::string& path) {
    std::size_t depth = 0;
    for (const char c : path) {
        depth += c == '.' ? 1 : 0;
    }
    const std::size_t column = 2 * depth + name_of(path).size() + 3;
    return "config.yaml:" + std::to_string(depth + 1) + ":" + std::to_string(column);
}

}  // namespace softalign

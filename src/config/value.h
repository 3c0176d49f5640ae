#pragma once

#include <optional>
#include <string>
#include <variant>

#include "config/schema.h"
#include "config/yaml_tree.h"

namespace softalign {

// What is wrong with a value, and where.
struct Complaint {
    const YamlNode* at = nullptr;
    std::string text;
};

// The value of a key as YAML gives it, of the right type and within what is allowed, or what is wrong with it.
std::variant<Value, Complaint> read_value(const Key& key, const YamlNode& node);

// As YAML writes it, on one line. Numbers in the shortest form that reads back to the same bits.
std::string format_value(const Value& value, ValueType type);
std::string format_number(double value);

// "an integer, at least 1", for messages.
std::string expected_text(const Key& key);

// "at least 1", "0 or at least 8", "0 to 1, 1 excluded", "gru, lstm"; empty if anything is allowed.
std::string allowed_text(const Key& key);

// "the integer 5", "a list", for messages.
std::string describe_node(const YamlNode& node);

}  // namespace softalign

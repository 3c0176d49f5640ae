#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/schema.h"

namespace softalign {

// Where configuration text comes from: a file, whose messages carry line and column, or a --set, whose do not.
struct YamlSource {
    std::string name;  // "config.yaml" or "--set training.seed=2"
    bool positions = true;

    // "config.yaml:3:5", or the name alone. line and column are 1-based; 0 = unknown.
    std::string place(int line, int column) const;
};

struct YamlNode {
    enum class Kind { null, scalar, sequence, map };

    Kind kind = Kind::null;
    int line = 0;                 // 1-based
    int column = 0;               // 1-based, in bytes
    std::string text;             // scalar
    bool quoted = false;          // scalar in quotes or a block scalar: text, whatever it looks like
    std::vector<YamlNode> keys;   // map: scalars, not necessarily distinct
    std::vector<YamlNode> items;  // sequence: its items; map: the value of each key
};

// The largest text parse_yaml takes, in bytes.
constexpr std::size_t max_yaml_size = std::size_t{1} << 20;

// One YAML document as a tree; `null` for one without content. Keeps to the part of YAML that a configuration needs:
// anchors, aliases, tags, keys that are not plain names, a second document, nesting deeper than 8 and tabs in the
// indentation are refused, so that a small text is a small tree.
// Throws Error(configuration) with the place.
YamlNode parse_yaml(const std::string& text, const YamlSource& source);

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

#pragma once

#include <cstddef>
#include <string>
#include <vector>

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

}  // namespace softalign

#include <cstddef>
#include <string>

#include "config/load.h"
#include "config/schema.h"
#include "config/yaml_tree.h"

namespace softalign {

namespace {

std::size_t depth_of(const std::string& path) {
    std::size_t depth = 0;
    for (const char c : path) {
        depth += c == '.' ? 1 : 0;
    }
    return depth;
}

std::string indentation(const std::string& path) {
    return std::string(2 * depth_of(path), ' ');
}

}  // namespace

std::string to_yaml(const Config& config) {
    std::string text;
    for (const Section& section : sections()) {  // a section follows the direct keys of the one around it
        if (!section.path.empty()) {
            text += indentation(section.path) + name_of(section.path) + ":\n";
        }
        for (const Key& key : schema()) {
            if (section_of(key.path) == section.path) {
                text +=
                    indentation(key.path) + name_of(key.path) + ": " + format_value(key.get(config), key.type) + "\n";
            }
        }
    }
    return text;
}

}  // namespace softalign

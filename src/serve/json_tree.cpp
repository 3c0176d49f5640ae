#include "serve/json_tree.h"

#include <algorithm>
#include <cstddef>
#include <istream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

namespace softalign {

namespace {

// Leaves one value without others in it, whose destructor needs nothing.
void take_apart(nlohmann::json& tree) {
    if (tree.is_structured()) {
        for (nlohmann::json& child : tree) {
            take_apart(child);
        }
        tree.clear();
    }
}

int depth_of(const std::string& text) {
    int depth = 0;
    int deepest = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            i += c == '\\' ? 1 : 0;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            deepest = std::max(deepest, ++depth);
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return deepest;
}

}  // namespace

// The first constructor is done, so that the destructor runs whatever happens here. The parser gives a tree back only
// as a whole, but writes into this one.
JsonTree::JsonTree(const std::string& text, int deepest) : JsonTree() {
    if (depth_of(text) > deepest) {
        throw std::length_error("JSON is nested too deeply");
    }
    std::istringstream stream(text);
    stream >> root_ >> std::ws;
    // std::ws takes more for white space than JSON, which has neither of these anywhere.
    if (!stream.eof() || text.find_first_of("\v\f") != std::string::npos) {
        throw std::invalid_argument("there is more behind the JSON");
    }
}

JsonTree::~JsonTree() {
    take_apart(root_);
}

}  // namespace softalign

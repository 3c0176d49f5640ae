#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace softalign {

// A tree of nlohmann's JSON that needs no memory to go: the destructor of a tree takes some, and ends the program where
// there is none.
class JsonTree {
public:
    JsonTree() = default;
    // Throws std::length_error where it is nested deeper than `deepest`, and nlohmann::json::exception or
    // std::invalid_argument where it is not valid UTF-8 JSON.
    JsonTree(const std::string& text, int deepest);
    ~JsonTree();
    JsonTree(JsonTree&&) noexcept = default;
    JsonTree(const JsonTree&) = delete;
    JsonTree& operator=(const JsonTree&) = delete;
    JsonTree& operator=(JsonTree&&) = delete;

    nlohmann::json& root() { return root_; }
    const nlohmann::json& root() const { return root_; }

private:
    nlohmann::json root_;
};

}  // namespace softalign

#include "config/yaml_tree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/strings.h"
#include "config/problems.h"

namespace softalign {

namespace {

enum class Scanned { no, out_of_range, yes };

// The whole text as a number, whatever the locale. A leading '+' is YAML's.
template <typename Number>
Scanned scan(const std::string& text, Number& value) {
    const char* first = text.data();
    const char* last = first + text.size();
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
        ++first;
    }
    const auto [end, fault] = std::from_chars(first, last, value);
    if (end != last || fault == std::errc::invalid_argument) {
        return Scanned::no;
    }
    return fault == std::errc() ? Scanned::yes : Scanned::out_of_range;
}

std::optional<bool> scan_boolean(const std::string& text) {
    if (text == "true" || text == "True" || text == "TRUE") {
        return true;
    }
    if (text == "false" || text == "False" || text == "FALSE") {
        return false;
    }
    return std::nullopt;
}

bool is_plain(const YamlNode& node) {
    return node.kind == YamlNode::Kind::scalar && !node.quoted;
}

// Text for a message, cut where it is long, between two characters.
std::string shortened(const std::string& text) {
    std::size_t length = 60;
    if (text.size() <= length) {
        return text;
    }
    while (is_utf8_continuation(text[length])) {
        --length;
    }
    return text.substr(0, length) + "…";
}

using Result = std::variant<Value, Complaint>;

Complaint wrong_type(const Key& key, const YamlNode& node) {
    return {&node, "expected " + expected_text(key) + ", found " + describe_node(node)};
}

Complaint not_allowed(const Key& key, const YamlNode& node) {
    return {&node, shortened(node.text) + " is not allowed; expected " + expected_text(key)};
}

template <typename Number>
Result read_number(const Key& key, const YamlNode& node) {
    Number value{};
    const Scanned scanned = is_plain(node) ? scan(node.text, value) : Scanned::no;
    if (scanned == Scanned::out_of_range) {
        return not_allowed(key, node);
    }
    if (scanned == Scanned::no) {
        return wrong_type(key, node);
    }
    if constexpr (std::is_floating_point_v<Number>) {
        if (!std::isfinite(value)) {
            return not_allowed(key, node);
        }
    }
    if (!allows(key.allowed, static_cast<double>(value))) {
        return not_allowed(key, node);
    }
    return Result(std::in_place_type<Value>, value);
}

Result read_unsigned(const Key& key, const YamlNode& node) {
    std::int64_t negative = 0;
    if (is_plain(node) && node.text[0] == '-' && scan(node.text, negative) != Scanned::no) {
        return not_allowed(key, node);
    }
    return read_number<std::uint64_t>(key, node);
}

template <typename Number>
Result read_numbers(const Key& key, const YamlNode& node) {
    std::vector<Number> values;
    const bool list = node.kind == YamlNode::Kind::sequence;
    const std::vector<YamlNode> single = list ? std::vector<YamlNode>() : std::vector<YamlNode>{node};
    for (const YamlNode& item : list ? node.items : single) {
        Result value = read_number<Number>(key, item);
        if (auto* complaint = std::get_if<Complaint>(&value)) {
            complaint->at = list ? &item : &node;
            return value;
        }
        values.push_back(std::get<Number>(std::get<Value>(value)));
    }
    return Value(values);
}

Result read_boolean(const Key& key, const YamlNode& node) {
    const auto value = is_plain(node) ? scan_boolean(node.text) : std::nullopt;
    return value ? Result(Value(*value)) : Result(wrong_type(key, node));
}

Result read_choice(const Key& key, const YamlNode& node) {
    if (node.kind != YamlNode::Kind::scalar) {
        return wrong_type(key, node);
    }
    const auto& choices = key.allowed.choices;
    if (std::find(choices.begin(), choices.end(), node.text) != choices.end()) {
        return Value(node.text);
    }
    const auto meant = nearest(node.text, choices);
    const std::string hint = meant ? "did you mean " + *meant + "? " : "";
    return Complaint{&node, "unknown choice " + shortened(node.text) + "; " + hint + "Allowed: " + join(choices)};
}

// Any text without line ends and the like: such a path is a slip, and messages stay on one line.
Result read_path(const Key& key, const YamlNode& node) {
    if (node.kind == YamlNode::Kind::null) {
        return Value(std::string());
    }
    if (node.kind != YamlNode::Kind::scalar) {
        return wrong_type(key, node);
    }
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
    if (std::any_of(node.text.begin(), node.text.end(), is_control)) {
        const bool is_path = key.type == ValueType::path || key.type == ValueType::paths;
        return Complaint{
            &node, std::string("a line end or another control character inside a ") + (is_path ? "path" : "text")};
    }
    return Value(node.text);
}

Result read_paths(const Key& key, const YamlNode& node) {
    std::vector<std::string> paths;
    if (node.kind == YamlNode::Kind::null) {
        return Value(paths);
    }
    if (node.kind == YamlNode::Kind::map) {
        return wrong_type(key, node);
    }
    const bool list = node.kind == YamlNode::Kind::sequence;
    const std::vector<YamlNode> single = list ? std::vector<YamlNode>() : std::vector<YamlNode>{node};
    for (const YamlNode& item : list ? node.items : single) {
        const YamlNode& at = list ? item : node;
        if (item.kind != YamlNode::Kind::scalar) {
            return wrong_type(key, at);
        }
        const Result path = read_path(key, item);
        if (const auto* complaint = std::get_if<Complaint>(&path)) {
            return Complaint{&at, complaint->text};
        }
        if (item.text.empty() && key.type == ValueType::paths) {
            return Complaint{&at, "an empty path; write [] for no file"};
        }
        paths.push_back(item.text);
    }
    return Value(paths);
}

std::string list_text(const std::vector<std::int64_t>& values) {
    std::vector<std::string> items;
    for (const std::int64_t value : values) {
        items.push_back(std::to_string(value));
    }
    return "[" + join(items) + "]";
}

std::string list_text(const std::vector<double>& values) {
    std::vector<std::string> items;
    for (const double value : values) {
        items.push_back(format_number(value));
    }
    return "[" + join(items) + "]";
}

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
        }
        result += c;
    }
    return result + "\"";
}

std::string bound_text(double value) {
    if (value == std::floor(value)) {
        return std::to_string(static_cast<std::int64_t>(value));
    }
    return format_number(value);
}

}  // namespace

std::variant<Value, Complaint> read_value(const Key& key, const YamlNode& node) {
    if (node.kind == YamlNode::Kind::null && !holds_text(key.type)) {
        return Complaint{&node, "no value; expected " + expected_text(key) + ", or leave the key out for its default"};
    }
    switch (key.type) {
        case ValueType::boolean:
            return read_boolean(key, node);
        case ValueType::integer:
            return read_number<std::int64_t>(key, node);
        case ValueType::unsigned_integer:
            return read_unsigned(key, node);
        case ValueType::integers:
            return read_numbers<std::int64_t>(key, node);
        case ValueType::number:
            return read_number<double>(key, node);
        case ValueType::numbers:
            return read_numbers<double>(key, node);
        case ValueType::choice:
            return read_choice(key, node);
        case ValueType::text:
        case ValueType::path:
            return read_path(key, node);
        case ValueType::texts:
        case ValueType::paths:
            break;
    }
    return read_paths(key, node);
}

std::string format_number(double value) {
    char buffer[64];
    const auto [end, fault] = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::general);
    std::string text(buffer, end);
    if (text.find('.') == std::string::npos) {  // 1 -> 1.0, 1e-08 -> 1.0e-08: a number to every reader of YAML
        const auto exponent = text.find('e');
        text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
    }
    return text;
}

std::string format_value(const Value& value, ValueType type) {
    switch (type) {
        case ValueType::boolean:
            return std::get<bool>(value) ? "true" : "false";
        case ValueType::integer:
            return std::to_string(std::get<std::int64_t>(value));
        case ValueType::unsigned_integer:
            return std::to_string(std::get<std::uint64_t>(value));
        case ValueType::integers:
            return list_text(std::get<std::vector<std::int64_t>>(value));
        case ValueType::number:
            return format_number(std::get<double>(value));
        case ValueType::numbers:
            return list_text(std::get<std::vector<double>>(value));
        case ValueType::choice:
            return std::get<std::string>(value);
        case ValueType::text:
        case ValueType::path:
            return quoted(std::get<std::string>(value));
        case ValueType::texts:
        case ValueType::paths:
            break;
    }
    std::vector<std::string> items;
    for (const std::string& path : std::get<std::vector<std::string>>(value)) {
        items.push_back(quoted(path));
    }
    return "[" + join(items) + "]";
}

std::string allowed_text(const Key& key) {
    const Allowed& allowed = key.allowed;
    if (!allowed.choices.empty()) {
        return join(allowed.choices);
    }
    if (key.type == ValueType::unsigned_integer) {
        return "0 to 18446744073709551615";
    }
    if (!std::isfinite(allowed.minimum)) {
        return "";
    }
    std::string text = allowed.special ? bound_text(*allowed.special) + " or " : "";
    const std::string minimum = bound_text(allowed.minimum);
    if (!std::isfinite(allowed.maximum)) {
        return text + "at least " + minimum;
    }
    const std::string maximum = bound_text(allowed.maximum);
    text += minimum + " to " + maximum;
    if (allowed.above_minimum && allowed.below_maximum) {
        return text + ", both excluded";
    }
    if (allowed.above_minimum) {
        return text + ", " + minimum + " excluded";
    }
    return allowed.below_maximum ? text + ", " + maximum + " excluded" : text;
}

std::string expected_text(const Key& key) {
    const std::string allowed = allowed_text(key);
    switch (key.type) {
        case ValueType::boolean:
            return "true or false";
        case ValueType::integer:
        case ValueType::unsigned_integer:
            return "an integer, " + allowed;
        case ValueType::integers:
            return "an integer or a list of integers, each " + allowed;
        case ValueType::number:
            return "a number, " + allowed;
        case ValueType::numbers:
            return "a number or a list of numbers, each " + allowed;
        case ValueType::choice:
            return "one of " + allowed;
        case ValueType::text:
            return "a text";
        case ValueType::texts:
            return "a text or a list of texts";
        case ValueType::path:
            return "a path";
        case ValueType::paths:
            break;
    }
    return "a path or a list of paths";
}

std::string describe_node(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::null:
            return "no value";
        case YamlNode::Kind::sequence:
            return "a list";
        case YamlNode::Kind::map:
            return "a map";
        case YamlNode::Kind::scalar:
            break;
    }
    const std::string shown = shortened(node.text);
    std::int64_t integer = 0;
    double number = 0.0;
    if (node.quoted) {
        return "the text \"" + shown + "\" (in quotes)";
    }
    if (scan_boolean(node.text)) {
        return shown;
    }
    if (scan(node.text, integer) != Scanned::no) {
        return "the integer " + shown;
    }
    if (scan(node.text, number) != Scanned::no) {
        return "the number " + shown;
    }
    return "the text \"" + shown + "\"";
}

}  // namespace softalign

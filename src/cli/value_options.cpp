#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "config/yaml_tree.h"

namespace softalign {

namespace {

std::variant<Value, Complaint> read(const Key& key, const std::string& text) {
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.text = text;
    return read_value(key, node);
}

std::string complaint_about(const Key& key, const std::string& text) {
    const auto result = read(key, text);
    const auto* const complaint = std::get_if<Complaint>(&result);
    return complaint == nullptr ? "" : complaint->text;
}

Key key_of(ValueType type, const Allowed& allowed) {
    Key key;
    key.type = type;
    key.allowed = allowed;
    return key;
}

std::string placeholder(ValueType type) {
    return type == ValueType::choice ? "NAME" : type == ValueType::number ? "X" : "N";
}

std::string with_range(const std::string& help, const Key& key) {
    const bool has_range = key.type == ValueType::integer || key.type == ValueType::number;
    return has_range ? help + " [" + allowed_text(key) + "]" : help;
}

// "1,5" -> "1" and "5".
std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == ',') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

}  // namespace

CLI::Option* add_value(CLI::App& command, const std::string& name, ValueType type, const Allowed& allowed,
                       const SetValue& set, const std::string& help) {
    const Key key = key_of(type, allowed);
    return command
        .add_option_function<std::string>(
            name, [key, set](const std::string& text) { set(std::get<Value>(read(key, text))); }, with_range(help, key))
        ->check([key](const std::string& text) { return complaint_about(key, text); }, "")
        ->type_name(placeholder(type));
}

CLI::Option* add_values(CLI::App& command, const std::string& name, ValueType type, const Allowed& allowed,
                        const SetValues& set, const std::string& help) {
    const Key key = key_of(type, allowed);
    const auto check = [key](const std::string& text) {
        std::string complaint;
        for (const std::string& part : parts_of(text)) {
            complaint = complaint.empty() ? complaint_about(key, part) : complaint;
        }
        return complaint;
    };
    const auto set_all = [key, set](const std::vector<std::string>& texts) {
        std::vector<Value> values;
        for (const std::string& text : texts) {
            for (const std::string& part : parts_of(text)) {
                values.push_back(std::get<Value>(read(key, part)));
            }
        }
        set(values);
    };
    return command.add_option_function<std::vector<std::string>>(name, set_all, with_range(help, key))
        ->check(check, "")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false)
        ->type_name(placeholder(type) + "," + placeholder(type) + ",...");
}

CLI::Option* add_choice(CLI::App& command, const std::string& name, const std::vector<std::string>& choices,
                        const std::function<void(const std::string&)>& set, const std::string& help) {
    Allowed allowed;
    allowed.choices = choices;
    return add_value(
        command, name, ValueType::choice, allowed, [set](const Value& value) { set(std::get<std::string>(value)); },
        help);
}

std::optional<Value> environment_value(const std::string& variable, ValueType type, const Allowed& allowed) {
    const char* const text = std::getenv(variable.c_str());
    if (text == nullptr || *text == '\0') {
        return std::nullopt;
    }
    const auto result = read(key_of(type, allowed), text);
    if (const auto* const complaint = std::get_if<Complaint>(&result)) {
        throw Error(ExitCode::usage, "the environment variable " + variable + ": " + complaint->text);
    }
    return std::get<Value>(result);
}

CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& target, const std::string& help) {
    return command.add_option(name, target, help)
        ->check([](const std::string& text) { return text.empty() ? "must not be empty" : ""; }, "");
}

}  // namespace softalign

#include "cli/key_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "base/error.h"
#include "cli/value_options.h"
#include "config/problems.h"
#include "config/rules.h"
#include "config/value.h"

namespace softalign {

namespace {

// In lines of a width that a terminal has room for beside the names of the options.
std::string wrapped(const std::string& text) {
    constexpr std::size_t width = 88;
    std::istringstream words(text);
    std::string result;
    std::size_t column = 0;
    for (std::string word; words >> word; column += word.size() + 1) {
        if (column + word.size() > width) {
            result += "\n";
            column = 0;
        } else if (!result.empty()) {
            result += " ";
        }
        result += word;
    }
    return result;
}

std::string help_of(const Key& key) {
    std::string text = key.meaning;
    text.erase(std::remove(text.begin(), text.end(), '`'), text.end());
    const std::string choices = key.type == ValueType::choice ? allowed_text(key) + "; " : "";
    return wrapped(text + " (" + choices + "default: " + key.path + " of the model)");
}

}  // namespace

std::string option_name(const std::string& path) {
    std::string name = name_of(path);
    std::replace(name.begin(), name.end(), '_', '-');
    return "--" + name;
}

CLI::Option* add_key_option(CLI::App& command, const std::string& path, GivenKeys& given) {
    const Key& key = *find_key(path);
    if (key.type == ValueType::boolean) {
        return command.add_flag_function(
            option_name(path), [&key, &given](std::int64_t on) { given[key.path] = on > 0; }, help_of(key));
    }
    return add_value(
        command, option_name(path), key.type, key.allowed,
        [&key, &given](const Value& value) { given[key.path] = value; }, help_of(key));
}

SearchConfig with_keys(const SearchConfig& config, const GivenKeys& given) {
    Config whole;
    whole.search = config;
    Origins origins;
    for (const auto& [path, value] : given) {
        const Key& key = *find_key(path);
        key.set(whole, value);
        origins[path] = option_name(path) + " " + format_value(value, key.type);
    }
    Problems problems;
    check_rules(whole, origins, "the model's configuration", problems);
    try {
        problems.throw_if_any();
    } catch (const Error& error) {
        throw Error(ExitCode::usage, error.what());
    }
    return whole.search;
}

}  // namespace softalign

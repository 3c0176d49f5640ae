#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "base/error.h"
#include "base/strings.h"
#include "cli/options.h"
#include "config/load.h"
#include "config/problems.h"
#include "config/rules.h"
#include "config/yaml_tree.h"
#include "journal/log.h"
#include "platform/blas.h"

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

std::string default_of(const Key& key) {
    return key.of_request ? format_value(key.get(Config{}), key.type) : key.path + " of the model";
}

std::string help_of(const Key& key) {
    std::string text = key.meaning;
    text.erase(std::remove(text.begin(), text.end(), '`'), text.end());
    const std::string choices = key.type == ValueType::choice ? allowed_text(key) + "; " : "";
    return wrapped(text + " (" + choices + "default: " + default_of(key) + ")");
}

}  // namespace

CLI::Option* add_key_option(CLI::App& command, const Key& key, GivenKeys& given) {
    const auto set = [&key, &given](const Value& value) { given[key.path] = value; };
    CLI::Option* const option = key.type == ValueType::boolean
                                    ? command
                                          .add_flag_function(
                                              key.option, [set](std::int64_t on) { set(on > 0); }, help_of(key))
                                          ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
                                    : add_value(command, key.option, key.type, key.allowed, set, help_of(key));
    if (!key.needs.empty()) {
        option->needs(command.get_option(key_at(key.needs).option));
    }
    return option;
}

SearchConfig with_unchecked_keys(const SearchConfig& config, const GivenKeys& given) {
    Config whole;
    whole.search = config;
    for (const auto& [path, value] : given) {
        key_at(path).set(whole, value);
    }
    return whole.search;
}

SearchConfig with_keys(const SearchConfig& config, const GivenKeys& given) {
    Config whole;
    whole.search = with_unchecked_keys(config, given);
    Origins origins;
    for (const auto& [path, value] : given) {
        origins[path] = key_at(path).option + " " + format_value(value, key_at(path).type);
    }
    const std::string otherwise = "the model's configuration";
    Problems problems;
    check_rules(whole, origins, {[](const Key& key) { return key.option; }, otherwise, otherwise}, problems);
    try {
        problems.throw_if_any();
    } catch (const Error& error) {
        throw Error(ExitCode::usage, error.what());
    }
    return whole.search;
}

Config ConfigOptions::load() const {
    Config config = load_config(file, overrides);
    set_up_logging(config.runtime.log_level);
    if (const std::string advice = blas_advice(blas_info()); !advice.empty()) {
        spdlog::warn("{}", advice);
    }
    return config;
}

bool ConfigOptions::sets(const std::string& key) const {
    return std::any_of(overrides.begin(), overrides.end(),
                       [&key](const std::string& one) { return starts_with(one, key + "="); });
}

void add_config_options(CLI::App& command, ConfigOptions& options) {
    command.add_option("CONFIG", options.file, "The configuration (docs/configuration.md)")
        ->required()
        ->type_name("FILE");
    command.add_option("--set", options.overrides, "Override a key, such as training.batch_size=32; may be repeated")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
}

}  // namespace softalign

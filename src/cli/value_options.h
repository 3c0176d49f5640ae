#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "config/schema.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace softalign {

// Options whose values are read as those of the configuration: whole numbers in decimal, finite numbers, choices by
// name, each within what is allowed. Anything else is a fault of the command line that says what was expected.
// All REQUIRE that what they set is there when the command line is parsed.

using SetValue = std::function<void(const Value&)>;
using SetValues = std::function<void(const std::vector<Value>&)>;

// One value. REQUIRES: `type` is a number or a choice.
CLI::Option* add_value(CLI::App& command, const std::string& name, ValueType type, const Allowed& allowed,
                       const SetValue& set, const std::string& help);

// Several, with commas between; the option may be repeated.
CLI::Option* add_values(CLI::App& command, const std::string& name, ValueType type, const Allowed& allowed,
                        const SetValues& set, const std::string& help);

// One of these names.
CLI::Option* add_choice(CLI::App& command, const std::string& name, const std::vector<std::string>& choices,
                        const std::function<void(const std::string&)>& set, const std::string& help);

// The value of an environment variable, none where it is not set or empty. Throws Error(usage) for a bad one.
// REQUIRES: `type` is a number or a choice.
std::optional<Value> environment_value(const std::string& variable, ValueType type, const Allowed& allowed);

namespace detail {

template <typename Target>
struct NumberIn {
    using Type = Target;
};
template <typename Number>
struct NumberIn<std::optional<Number>> {
    using Type = Number;
};

// How Value holds a number: a seed may be any of 64 bits.
template <typename Number>
using Held = std::conditional_t<std::is_floating_point_v<Number>, double,
                                std::conditional_t<std::is_unsigned_v<Number>, std::uint64_t, std::int64_t>>;

template <typename Number>
constexpr ValueType type_of() {
    return std::is_floating_point_v<Number> ? ValueType::number
           : std::is_unsigned_v<Number>     ? ValueType::unsigned_integer
                                            : ValueType::integer;
}

}  // namespace detail

// A number, or an optional one. `allowed` does not apply to unsigned numbers, which may be anything from 0.
template <typename Target>
CLI::Option* add_number(CLI::App& command, const std::string& name, Target& target, const Allowed& allowed,
                        const std::string& help) {
    using Number = typename detail::NumberIn<Target>::Type;
    return add_value(
        command, name, detail::type_of<Number>(), allowed,
        [&target](const Value& value) { target = static_cast<Number>(std::get<detail::Held<Number>>(value)); }, help);
}

// Numbers, with commas between.
template <typename Number>
CLI::Option* add_numbers(CLI::App& command, const std::string& name, std::vector<Number>& target,
                         const Allowed& allowed, const std::string& help) {
    return add_values(
        command, name, detail::type_of<Number>(), allowed,
        [&target](const std::vector<Value>& values) {
            target.clear();
            for (const Value& value : values) {
                target.push_back(static_cast<Number>(std::get<detail::Held<Number>>(value)));
            }
        },
        help);
}

}  // namespace softalign

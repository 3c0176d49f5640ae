#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cli/files.h"
#include "config/config.h"
#include "config/schema.h"
#include "translate/ensemble.h"

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

// Text that may not be empty.
CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& target, const std::string& help);

// Keys of the configuration that the command line sets, by their paths.
using GivenKeys = std::map<std::string, Value>;

// Adds the option of a key: what it may be, its help and what it needs are those of the key. REQUIRES: the key is a
// flag, a number or a choice, and the option that it needs is there; `given` is there when the command line is parsed.
CLI::Option* add_key_option(CLI::App& command, const Key& key, GivenKeys& given);

// The configuration with these values in place of its own. Throws Error(usage), naming the options, where they break a
// rule of the configuration.
SearchConfig with_keys(const SearchConfig& config, const GivenKeys& given);

// The same whatever the rules say: for what is to be known before there is a model.
SearchConfig with_unchecked_keys(const SearchConfig& config, const GivenKeys& given);

// The configuration of a command: a file, and keys given on the command line.
struct ConfigOptions {
    std::string file;
    std::vector<std::string> overrides;

    // Reads the configuration, sets up logging accordingly, and warns if the BLAS is slower than the processor allows.
    // Throws like load_config().
    Config load() const;

    // Whether a key is given on the command line.
    bool sets(const std::string& key) const;
};

// Adds CONFIG and --set. REQUIRES: `options` outlives the parsing of the command line.
void add_config_options(CLI::App& command, ConfigOptions& options);

// The device, threads and precision that a model runs with; what is not set comes from the model's configuration.
struct MachineOptions {
    std::optional<DeviceChoice> device;
    std::optional<std::int64_t> workers;
    std::optional<Precision> precision;

    at::Device pick_device(const Config& config) const;
    // `sharing`: how many processes divide the processors where nobody has set a number.
    int count_workers(const Config& config, const at::Device& device, int sharing = 1) const;

    // The precision of products, chosen as described in platform/device.h.
    Precision pick_precision(const Config& config, const at::Device& device) const;
};

// Adds --device, --workers and --precision. `workers`: how many there are by default, for the help. REQUIRES: `options`
// outlives the parsing of the command line.
void add_machine_options(CLI::App& command, MachineOptions& options,
                         const std::string& workers = "the model's configuration");

// The models that a command uses together.
struct ModelOptions {
    std::vector<std::string> directories;
    std::vector<std::string> weights;     // none, or one for each directory
    FileAccess access = FileAccess::map;  // of the weights
    EnsembleOptions ensemble;

    // Throws Error(usage) if the numbers of options do not match.
    std::vector<ModelFiles> files() const;

    // "runs/a", "runs/a and runs/b"
    std::string names() const;

    // The first model's configuration, which supplies the defaults.
    Config config() const;

    // The files that loading reads.
    void name_files(FileNames& names) const;

    LoadedEnsemble load(const at::Device& device) const;
};

// Adds --model, --weights, --ensemble and --ensemble-weights. REQUIRES: `options` outlives the parsing of the command
// line.
void add_model_options(CLI::App& command, ModelOptions& options);

}  // namespace softalign

#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace softalign {

// Reads a YAML file over the defaults, applies the overrides ("training.batch_size=32", the value parsed as YAML) in
// order, resolves relative paths (those of the file against the file's folder, those of an override against the
// working directory) and checks every value and every combination.
// Throws Error(configuration): file:line:column (or "--set key=value"), what is wrong, the nearest valid key or what is
// allowed.
Config load_config(const std::string& path, const std::vector<std::string>& overrides);

// The same from YAML text; `name` stands for the file in messages, `base_directory` resolves relative paths.
Config parse_config(const std::string& yaml, const std::string& name, const std::string& base_directory,
                    const std::vector<std::string>& overrides);

// Throws Error(configuration) if a key that training requires is empty: data.train_source, data.train_target,
// checkpoints.directory. load_config accepts empty ones, because a trained model does not need them.
void require_training_keys(const Config& config, const std::string& name);

// The whole configuration as comment-free YAML that parse_config reads back to an equal value.
std::string to_yaml(const Config& config);

// A Markdown reference of every key: type, default, what is allowed, what it does. docs/configuration.md holds exactly
// this text; a test compares them.
std::string configuration_reference();

}  // namespace softalign

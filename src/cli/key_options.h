#pragma once

#include <map>
#include <string>

#include "config/config.h"
#include "config/schema.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace softalign {

// Keys of the configuration that the command line sets, by their paths.
using GivenKeys = std::map<std::string, Value>;

// "search.max_length_ratio" -> "--max-length-ratio"
std::string option_name(const std::string& path);

// Adds the option of a key: what it may be and its help are those of the key. REQUIRES: the key is a flag, a number or
// a choice; `given` is there when the command line is parsed.
CLI::Option* add_key_option(CLI::App& command, const std::string& path, GivenKeys& given);

// The configuration with these values in place of its own. Throws Error(usage), naming the options, where they break a
// rule of the configuration.
SearchConfig with_keys(const SearchConfig& config, const GivenKeys& given);

}  // namespace softalign

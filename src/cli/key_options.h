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

// Adds the option of a key: what it may be, its help and what it needs are those of the key. REQUIRES: the key is a
// flag, a number or a choice, and the option that it needs is there; `given` is there when the command line is parsed.
CLI::Option* add_key_option(CLI::App& command, const Key& key, GivenKeys& given);

// The configuration with these values in place of its own. Throws Error(usage), naming the options, where they break a
// rule of the configuration.
SearchConfig with_keys(const SearchConfig& config, const GivenKeys& given);

// The same whatever the rules say: for what is to be known before there is a model.
SearchConfig with_unchecked_keys(const SearchConfig& config, const GivenKeys& given);

}  // namespace softalign

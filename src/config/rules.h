#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/problems.h"
#include "config/schema.h"

namespace softalign {

// Where the value of each key was given: "config.yaml:3:5", or an option such as "--set training.seed=2". A key that is
// not in it has its default.
using Origins = std::map<std::string, std::string>;

// A rule about values that must fit together.
struct Rule {
    std::vector<std::string> keys;  // the keys it is about
    std::string statement;          // what holds, and how to reach it: the documentation and the message in one
    std::function<bool(const Config&)> broken;  // REQUIRES: without_ignored
};

const std::vector<Rule>& rules();

// Those about `model`, in rules_model.cpp.
std::vector<Rule> model_rules();

// The configuration with defaults for the keys that its types of encoder and decoder ignore, so that no rule speaks of
// what has no effect.
Config without_ignored(Config config);

// How a message speaks of keys.
struct Wording {
    // "search.beam" in a configuration, "--beam" on the command line, "beam" in a program
    std::string (*name_of_key)(const Key&);
    std::string place;      // where no key of the rule was given
    std::string otherwise;  // where a value comes from that was not given; empty = not to be said
};

// Adds one problem for each broken rule: the statement, then each key with its value and where that comes from.
void check_rules(const Config& config, const Origins& origins, const Wording& wording, Problems& problems);

// The first thing that is wrong with the options of a search, in the words of a program: "beam must be an integer, 1 to
// 1024". Empty where nothing is.
std::string fault_of(const SearchConfig& search);

}  // namespace softalign

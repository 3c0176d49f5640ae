#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/problems.h"

namespace softalign {

// Where the value of each key was given: "config.yaml:3:5", or an option such as "--set training.seed=2". A key that is
// not in it has its default.
using Origins = std::map<std::string, std::string>;

// A rule about values that must fit together.
struct Rule {
    std::vector<std::string> keys;  // the keys it is about
    std::string statement;          // what holds, and how to reach it: the documentation and the message in one
    std::function<bool(const Config&)> broken;
};

const std::vector<Rule>& rules();

// Those about `model`, in rules_model.cpp.
std::vector<Rule> model_rules();

// Adds one problem for each broken rule: the statement, then each key with its value and where that comes from.
// `name` stands for the place where no key of the rule was given.
void check_rules(const Config& config, const Origins& origins, const std::string& name, Problems& problems);

}  // namespace softalign

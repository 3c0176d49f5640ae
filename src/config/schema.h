#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/config.h"

namespace softalign {

// The value of any key. Choices (enumerations included) are held as they are spelled in YAML; a single path is a
// string, several are a vector; the same goes for texts.
using Value = std::variant<bool, std::int64_t, std::uint64_t, double, std::string, std::vector<std::int64_t>,
                           std::vector<double>, std::vector<std::string>>;

enum class ValueType {
    boolean,
    integer,
    unsigned_integer,
    integers,
    number,
    numbers,
    choice,
    text,
    texts,
    path,
    paths
};

// Whether values of a type are texts or lists of them, any of which may be empty.
constexpr bool holds_text(ValueType type) {
    return type == ValueType::text || type == ValueType::texts || type == ValueType::path || type == ValueType::paths;
}

// What a key may be: a range for numbers, each of a list (every bound is below 2^53, so a double holds it), the
// spellings for choices.
struct Allowed {
    double minimum = -std::numeric_limits<double>::infinity();
    double maximum = std::numeric_limits<double>::infinity();
    bool above_minimum = false;     // the minimum itself is not allowed
    bool below_maximum = false;     // the maximum itself is not allowed
    std::optional<double> special;  // allowed besides the range
    std::vector<std::string> choices;
    bool any_text = false;  // texts that are not paths
};

inline Allowed any_text() {
    Allowed allowed;
    allowed.any_text = true;
    return allowed;
}
inline Allowed any() {
    return {};
}

inline Allowed at_least(double minimum) {
    Allowed allowed;
    allowed.minimum = minimum;
    return allowed;
}

inline Allowed between(double minimum, double maximum) {
    Allowed allowed = at_least(minimum);
    allowed.maximum = maximum;
    return allowed;
}

inline Allowed above(double minimum, double maximum) {
    Allowed allowed = between(minimum, maximum);
    allowed.above_minimum = true;
    return allowed;
}

inline Allowed from_below(double minimum, double maximum) {
    Allowed allowed = between(minimum, maximum);
    allowed.below_maximum = true;
    return allowed;
}

inline Allowed strictly_between(double minimum, double maximum) {
    Allowed allowed = from_below(minimum, maximum);
    allowed.above_minimum = true;
    return allowed;
}

inline Allowed either(double special, Allowed allowed) {
    allowed.special = special;
    return allowed;
}

inline Allowed one_of(std::vector<std::string> choices) {
    Allowed allowed;
    allowed.choices = std::move(choices);
    return allowed;
}

// What `train --resume` does with a key whose value is not the one that the run was started with. Of a key that names
// texts or vocabularies, what counts is their contents: the files may move.
enum class OnResume {
    fixed,       // refuses: the updates so far were computed with the old value
    may_change,  // continues with the new value
    rescores,    // continues, but later validations cannot be compared with earlier ones: the best model is chosen anew
};

bool allows(const Allowed& allowed, double value);

// One key of the configuration: its path in YAML, the member behind it and what is to be known about it.
struct Key {
    std::string path;         // "training.batch_size"
    std::string option;       // what an option of the command line that sets it is called: "--batch-size"
    std::string needs;        // the path of the key without which that option has no meaning; empty = none
    bool of_request = false;  // only a request to translate sets it; configurations have no such key
    ValueType type = ValueType::boolean;
    Allowed allowed;
    OnResume on_resume = OnResume::fixed;
    std::string meaning;
    std::function<Value(const Config&)> get;
    std::function<void(Config&, const Value&)> set;  // REQUIRES: the alternative that get gives; a choice that exists
};

// Whether a value, not read from text, is allowed: what is no number always is.
bool allows(const Key& key, const Value& value);

struct Section {
    std::string path;  // "training.optimizer"; empty for the root
    std::string meaning;
};

// Every key of a configuration, in the order of the documentation: the direct keys of a section, then its sections.
const std::vector<Key>& schema();

// Everything that can be set about a search: the keys of the section `search`, then those of requests.
const std::vector<Key>& search_schema();

// Every section, the root first.
const std::vector<Section>& sections();

// The key of a configuration, or of a request, at a path; nullptr where there is none.
const Key* find_key(const std::string& path);
const Key* find_request_key(const std::string& path);

// Either. REQUIRES: there is one.
const Key& key_at(const std::string& path);

bool is_section(const std::string& path);

// The names of the keys and sections directly inside a section.
std::vector<std::string> names_in(const std::string& section);

// "training.optimizer.type" -> "training.optimizer" and "type".
std::string section_of(const std::string& path);
std::string name_of(const std::string& path);
std::string join_path(const std::string& section, const std::string& name);

}  // namespace softalign

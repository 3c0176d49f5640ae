#include "config/problems.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "config/schema.h"

namespace softalign {

namespace {

std::string folded(const std::string& text) {
    std::string result = lower_ascii(text);
    std::replace(result.begin(), result.end(), '-', '_');
    return result;
}

std::vector<std::string> all_paths() {
    std::vector<std::string> paths;
    for (const Key& key : schema()) {
        paths.push_back(key.path);
    }
    for (const Section& section : sections()) {
        if (!section.path.empty()) {
            paths.push_back(section.path);
        }
    }
    return paths;
}

bool is_path(const std::string& path) {
    return find_key(path) != nullptr || is_section(path);
}

// Paths outside `section` that end in `name`, which may itself be a path.
std::vector<std::string> same_name_elsewhere(const std::string& section, const std::string& name) {
    std::vector<std::string> paths;
    const std::string ending = "." + name;
    for (const std::string& path : all_paths()) {
        const bool ends = path == name || (path.size() > ending.size() && ends_with(path, ending));
        if (ends && path != join_path(section, name)) {
            paths.push_back(path);
        }
    }
    return paths;
}

// The misspelt name of a key of another section, as its path.
std::vector<std::string> near_name_elsewhere(const std::string& section, const std::string& name) {
    std::vector<std::string> names;
    for (const std::string& path : all_paths()) {
        names.push_back(name_of(path));
    }
    const auto meant = nearest(name, names);
    return meant ? same_name_elsewhere(section, *meant) : std::vector<std::string>();
}

// The one name of several that has these words among its own, as hidden_size has "hidden".
std::optional<std::string> name_with(const std::string& words, const std::vector<std::string>& names) {
    const std::string wanted = "_" + folded(words) + "_";
    std::optional<std::string> found;
    for (const std::string& name : names) {
        if (("_" + name + "_").find(wanted) != std::string::npos) {
            if (found) {
                return std::nullopt;
            }
            found = name;
        }
    }
    return found;
}

// What only a request to translate sets, by its path or by the name of its option; nullptr where there is none.
const Key* request_key_called(const std::string& path) {
    for (const Key& key : search_schema()) {
        const std::string option = folded(join_path(section_of(key.path), key.option.substr(2)));
        if (key.of_request && (folded(path) == key.path || folded(path) == option)) {
            return &key;
        }
    }
    return nullptr;
}

std::string belongs_to_request(const Key& key) {
    return "it belongs to a request, not to a configuration: use the option " + key.option + " of softalign translate";
}

std::string allowed_in(const std::string& section) {
    const std::string where = section.empty() ? "the sections are" : "the keys of " + section + " are";
    return where + " " + join(names_in(section));
}

}  // namespace

std::size_t edit_distance(const std::string& left, const std::string& right) {
    const std::string a = folded(left);
    const std::string b = folded(right);
    std::vector<std::size_t> before(b.size() + 1);  // two rows back
    std::vector<std::size_t> previous(b.size() + 1);
    std::vector<std::size_t> current(b.size() + 1);
    std::iota(previous.begin(), previous.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                current[j] = std::min(current[j], before[j - 2] + 1);
            }
        }
        before.swap(previous);
        previous.swap(current);
    }
    return previous[b.size()];
}

std::optional<std::string> nearest(const std::string& name, const std::vector<std::string>& candidates) {
    constexpr std::size_t longest = 100;  // no misspelt key is longer; keeps the cost small for any text
    std::optional<std::string> best;
    std::size_t best_distance = 0;
    if (name.size() > longest) {
        return best;
    }
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(name, candidate);
        const std::size_t bound = std::min<std::size_t>(std::max(name.size(), candidate.size()) / 3, 3);
        if (distance <= bound && distance < candidate.size() && (!best || distance < best_distance)) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string describe_unknown_key(const std::string& section, const std::string& name) {
    const std::string unknown = "unknown key " + join_path(section, name) + "; ";
    const std::string full = join_path(section, name);
    if (const Key* const key = request_key_called(full)) {
        const auto others = same_name_elsewhere(section_of(full), name_of(folded(full)));
        return unknown + belongs_to_request(*key) + (others.empty() ? "" : ", or the key " + join(others, " or "));
    }
    const bool dotted = name.find('.') != std::string::npos;  // a path where a name belongs
    if (dotted && (is_path(full) || is_path(name))) {
        const std::string& path = is_path(full) ? full : name;
        return unknown + "sections nest: write " + name_of(path) + " inside " + section_of(path);
    }
    if (const auto meant = nearest(name, names_in(section))) {
        return unknown + "did you mean " + join_path(section, *meant) + "?";
    }
    const auto elsewhere = same_name_elsewhere(section, name);
    if (!elsewhere.empty()) {
        return unknown + name + " is " + join(elsewhere, " or ");
    }
    if (const Key* const key = request_key_called(join_path("search", name))) {
        return unknown + belongs_to_request(*key);
    }
    if (const auto meant = name_with(name, names_in(section))) {
        return unknown + "did you mean " + join_path(section, *meant) + "?";
    }
    if (const auto meant = dotted ? nearest(full, all_paths()) : std::nullopt) {
        return unknown + "did you mean " + *meant + "?";
    }
    const auto near_elsewhere = near_name_elsewhere(section, name);
    if (!near_elsewhere.empty()) {
        return unknown + "did you mean " + join(near_elsewhere, " or ") + "?";
    }
    return unknown + allowed_in(section);
}

void Problems::add(const std::string& place, const std::string& what) {
    lines_.push_back(place + ": " + what);
}

void Problems::throw_if_any() const {
    if (lines_.empty()) {
        return;
    }
    std::string message = lines_.front();
    for (std::size_t i = 1; i < lines_.size(); ++i) {
        message += "\n" + lines_[i];
    }
    throw Error(ExitCode::configuration, message + (full() ? "\nand perhaps more" : ""));
}

}  // namespace softalign

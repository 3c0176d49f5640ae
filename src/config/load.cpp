#include "config/load.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "config/problems.h"
#include "config/rules.h"
#include "config/schema.h"
#include "config/yaml_tree.h"

namespace softalign {

namespace {

namespace fs = std::filesystem;

// A folder as an absolute path without links, so that ".." can be taken off its end; as it is where that fails.
fs::path canonical_folder(const fs::path& folder) {
    std::error_code fault;
    const fs::path start = folder.empty() ? fs::path(".") : folder;
    fs::path result = fs::weakly_canonical(fs::absolute(start, fault), fault);
    return fault ? start : result;
}

// An absolute path; the leading ".." of a relative one are taken off the folder.
std::string resolve_path(const std::string& text, const fs::path& folder) {
    const fs::path path(text);
    if (text.empty() || path.is_absolute()) {
        return text;
    }
    fs::path result = folder;
    bool leading = true;
    for (const fs::path& part : path) {
        if (part == "." || part.empty()) {
            continue;
        }
        if (leading && part == "..") {
            result = result.parent_path();
        } else {
            result /= part;
            leading = false;
        }
    }
    return result.string();
}

Value resolve_paths(const Value& value, ValueType type, const fs::path& folder) {
    if (type == ValueType::path) {
        return resolve_path(std::get<std::string>(value), folder);
    }
    if (type != ValueType::paths) {
        return value;
    }
    auto paths = std::get<std::vector<std::string>>(value);
    for (std::string& path : paths) {
        path = resolve_path(path, folder);
    }
    return paths;
}

// Puts the values of YAML trees into a Config and notes what is wrong with them.
class Reader {
public:
    Reader(Config& config, Origins& origins, Problems& problems)
        : config_(config), origins_(origins), problems_(problems) {}

    // What stands at `path` in a source whose relative paths start from `folder`.
    void read(const std::string& path, const YamlNode& node, const YamlSource& source, const fs::path& folder) {
        if (is_section(path)) {
            read_section(path, node, source, folder);
        } else if (const Key* key = find_key(path)) {
            read_key(*key, node, source, folder);
        }
    }

private:
    void read_section(const std::string& path, const YamlNode& node, const YamlSource& source, const fs::path& folder) {
        if (node.kind == YamlNode::Kind::null) {
            return;  // a section whose keys are all commented out
        }
        if (node.kind != YamlNode::Kind::map) {
            const std::string what = path.empty() ? "a configuration is a map of sections" : path + " is a section";
            problems_.add(source.place(node.line, node.column),
                          what + "; expected a map with " + join(names_in(path)) + ", found " + describe_node(node));
            return;
        }
        std::set<std::string> seen;
        for (std::size_t i = 0; i < node.keys.size() && !problems_.full(); ++i) {
            const YamlNode& name = node.keys[i];
            const std::string inner = join_path(path, name.text);
            const std::string place = source.place(name.line, name.column);
            if (name.text.find('.') != std::string::npos || (!is_section(inner) && find_key(inner) == nullptr)) {
                problems_.add(place, describe_unknown_key(path, name.text));
            } else if (!seen.insert(name.text).second) {
                problems_.add(place, inner + " is given twice; keep one");
            } else {
                read(inner, node.items[i], source, folder);
            }
        }
    }

    void read_key(const Key& key, const YamlNode& node, const YamlSource& source, const fs::path& folder) {
        const auto result = read_value(key, node);
        if (const auto* complaint = std::get_if<Complaint>(&result)) {
            problems_.add(source.place(complaint->at->line, complaint->at->column), key.path + ": " + complaint->text);
            return;
        }
        key.set(config_, resolve_paths(std::get<Value>(result), key.type, folder));
        origins_[key.path] = source.place(node.line, node.column);
    }

    Config& config_;
    Origins& origins_;
    Problems& problems_;
};

// The deepest section that a dotted path begins with, and the rest.
std::pair<std::string, std::string> split_at_section(const std::string& path) {
    std::string section;
    std::size_t rest = 0;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
        if (!is_section(path.substr(0, dot))) {
            break;
        }
        section = path.substr(0, dot);
        rest = dot + 1;
    }
    return {section, path.substr(rest)};
}

// Whether a comment begins outside of quotes; two single quotes are one in a text in such quotes.
bool has_comment(const std::string& yaml) {
    char quote = '\0';
    char before = ' ';
    for (std::size_t i = 0; i < yaml.size(); ++i) {
        const char c = yaml[i];
        const bool token_begins = std::string(" \t\n\r[]{},:").find(before) != std::string::npos;
        if (quote != '\0') {
            i += quote == '"' && c == '\\' ? 1 : 0;
            quote = c == quote ? '\0' : quote;
        } else if ((c == '"' || c == '\'') && (token_begins || (before == '\'' && c == '\''))) {
            quote = c;
        } else if (c == '#' && (before == ' ' || before == '\t' || before == '\n' || before == '\r')) {
            return true;
        }
        before = c;
    }
    return false;
}

// Whether YAML made of the value all that was written. A path is taken to the letter, its spaces included.
bool is_taken_whole(const YamlNode& node, const std::string& value, bool is_path) {
    const std::size_t begin = value.find_first_not_of(" \t\r\n");
    const std::string trimmed =
        begin == std::string::npos ? "" : value.substr(begin, value.find_last_not_of(" \t\r\n") + 1 - begin);
    if (node.kind == YamlNode::Kind::null) {
        return trimmed.empty() || trimmed == "~" || trimmed == "null" || trimmed == "Null" || trimmed == "NULL";
    }
    if (node.kind == YamlNode::Kind::scalar && !node.quoted) {
        return node.text == (is_path ? value : trimmed);
    }
    return !has_comment(value);
}

void read_override(const std::string& text, Reader& reader, Problems& problems) {
    if (first_invalid_utf8(text) != 0) {
        problems.add("--set", "what is given is not valid UTF-8; write it in UTF-8");
        return;
    }
    const YamlSource source{"--set " + text, false};
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        problems.add(source.name, "expected KEY=VALUE, such as training.batch_size=32");
        return;
    }
    const std::string path = text.substr(0, equals);
    if (!is_section(path) && find_key(path) == nullptr) {
        const auto [section, name] = split_at_section(path);
        problems.add(source.name, describe_unknown_key(section, name));
        return;
    }
    const std::string value = text.substr(equals + 1);
    const YamlNode node = parse_yaml(value, source);
    const Key* const key = find_key(path);
    const bool is_text = key != nullptr && (key->type == ValueType::path || key->type == ValueType::text);
    if (!is_taken_whole(node, value, is_text)) {
        problems.add(source.name, "YAML reads only " + describe_node(node) +
                                      " here (\" #\" begins a comment, and spaces around a " +
                                      "value do not count); put the value in quotes, in quotes of the shell: '" + path +
                                      "=\"VALUE\"'");
        return;
    }
    reader.read(path, node, source, canonical_folder("."));
}

std::string read_text(const std::string& path) {
    std::error_code fault;
    if (fs::is_directory(path, fault)) {
        throw Error(ExitCode::configuration, path + ": a directory, not a configuration file");
    }
    errno = 0;
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        const int reason = errno;
        throw Error(ExitCode::configuration,
                    path + ": cannot be read: " + errno_text(reason) +
                        (reason == EMFILE || reason == ENFILE ? "; raise the limit of open files (ulimit -n)"
                                                              : "; give the path of a configuration file"));
    }
    std::string text(max_yaml_size + 1, '\0');  // one more than is taken, so that parse_yaml sees that it is too large
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (stream.bad()) {
        throw Error(ExitCode::configuration, path + ": cannot be read: " + errno_text(errno));
    }
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
}

// Paths end up in config.yaml, which has to be text, whatever the folder is called.
void check_path_encoding(const Config& config, const Origins& origins, const std::string& name) {
    for (const Key& key : schema()) {
        if (holds_text(key.type)) {
            const auto origin = origins.find(key.path);
            const std::string place = origin == origins.end() ? name : origin->second;
            const std::string written = format_value(key.get(config), key.type);
            const YamlSource source{place + ": the full path of " + key.path, false};
            parse_yaml(written, source);
            if (written.find_first_of("\t\n\r") != std::string::npos) {  // text, but not one that can be read back
                throw Error(ExitCode::configuration,
                            source.name + ": a tab or a line end in the name of a folder; rename that");
            }
        }
    }
}

}  // namespace

Config load_config(const std::string& path, const std::vector<std::string>& overrides) {
    return parse_config(read_text(path), path, fs::path(path).parent_path().string(), overrides);
}

Config parse_config(const std::string& yaml, const std::string& name, const std::string& base_directory,
                    const std::vector<std::string>& overrides) {
    Config config;
    Origins origins;
    Problems problems;
    Reader reader(config, origins, problems);
    const YamlSource source{name, true};
    const YamlNode root = parse_yaml(yaml, source);
    if (root.kind == YamlNode::Kind::null) {
        throw Error(ExitCode::configuration, name + ": holds no key; its sections are " + join(names_in("")));
    }
    reader.read("", root, source, canonical_folder(base_directory));
    for (const std::string& text : overrides) {
        read_override(text, reader, problems);
    }
    problems.throw_if_any();
    check_path_encoding(config, origins, name);
    check_rules(config, origins, {[](const Key& key) { return key.path; }, name, "the default"}, problems);
    problems.throw_if_any();
    return config;
}

void require_training_keys(const Config& config, const std::string& name) {
    Problems problems;
    const auto require = [&](const char* path, bool given) {
        if (!given) {
            problems.add(name, std::string(path) + " is missing; training needs it: " + find_key(path)->meaning);
        }
    };
    require("data.train_source", !config.data.train_source.empty());
    require("data.train_target", !config.data.train_target.empty());
    require("checkpoints.directory", !config.checkpoints.directory.empty());
    if (config.runtime.precision == Precision::int8) {
        problems.add(name + " or --set",
                     "runtime.precision is int8, which is for translation and scoring only; train with float32 or "
                     "bfloat16, and translate with --precision int8");
    }
    problems.throw_if_any();
}

}  // namespace softalign

#include <algorithm>
#include <string>

#include "config/load.h"
#include "config/rules.h"
#include "config/schema.h"
#include "config/yaml_tree.h"

namespace softalign {

namespace {

const char* const introduction =
    "# Configuration\n"
    "\n"
    "A configuration is a YAML file. Every key has a default, so you only write the keys you change. To change a key "
    "for one\n"
    "run, use `softalign train CONFIG --set training.batch_size=32`. Sections nest: `training.optimizer.type` is "
    "`type` inside\n"
    "`optimizer` inside `training`. `configs/template.yaml` contains all keys.\n"
    "\n"
    "- Relative paths in a file start from the directory of that file; those of `--set` start from the working "
    "directory.\n"
    "- The value of `--set` is YAML, too. Put a text with ` #` in it in quotes: `--set 'checkpo"
    "ints.directory=\"runs/a #2\"'`.\n"
    "- If a key accepts several files, write a single path or a list.\n"
    "- Maps, lists, numbers, `true`, `false` and text are supported. YAML's anchors, aliases, tags and multiple "
    "documents in\n"
    "  one file are errors.\n"
    "- Unknown keys, values of the wrong type and values that are not allowed are errors, with file, line and column.\n"
    "- The complete configuration, with every key, is saved as `config.yaml` in the model directory.\n"
    "- The last column tells whether `softalign train --resume` accepts another value than the one the run was "
    "started\n"
    "  with. `scores`: it does, but chooses the best model anew, because old and new scores cannot be compared. For "
    "texts\n"
    "  and vocabularies, only the contents count: the files can move.\n";

std::string type_text(ValueType type) {
    switch (type) {
        case ValueType::boolean:
            return "boolean";
        case ValueType::integer:
        case ValueType::unsigned_integer:
            return "integer";
        case ValueType::integers:
            return "integer or list of integers";
        case ValueType::number:
            return "number";
        case ValueType::numbers:
            return "number or list of numbers";
        case ValueType::choice:
            return "choice";
        case ValueType::text:
            return "text";
        case ValueType::texts:
            return "text or list of texts";
        case ValueType::path:
            return "path";
        case ValueType::paths:
            break;
    }
    return "path or list of paths";
}

std::string allowed_cell(const Key& key) {
    if (key.type == ValueType::boolean) {
        return "`true`, `false`";
    }
    if (key.allowed.choices.empty()) {
        const std::string range = allowed_text(key);
        return range.empty() ? "any" : range;
    }
    std::string text;
    for (const std::string& choice : key.allowed.choices) {
        text += (text.empty() ? "`" : ", `") + choice + "`";
    }
    return text;
}

std::string resume_cell(OnResume on_resume) {
    switch (on_resume) {
        case OnResume::fixed:
            return "no";
        case OnResume::may_change:
            return "yes";
        case OnResume::rescores:
            break;
    }
    return "scores";
}

std::string row(const Key& key, const Config& defaults) {
    return "| `" + key.path + "` | " + type_text(key.type) + " | `" + format_value(key.get(defaults), key.type) +
           "` | " + allowed_cell(key) + " | " + key.meaning + " | " + resume_cell(key.on_resume) + " |\n";
}

std::string section_text(const Section& section, const Config& defaults) {
    std::string text = "\n## " + section.path + "\n\n" + section.meaning + "\n\n";
    text +=
        "| key | type | default | allowed | meaning | may change on resume |\n| --- | --- | --- | --- | --- | --- |\n";
    for (const Key& key : schema()) {
        if (section_of(key.path) == section.path) {
            text += row(key, defaults);
        }
    }
    return text;
}

}  // namespace

std::string configuration_reference() {
    const Config defaults;
    std::string text = introduction;
    for (const Section& section : sections()) {
        if (!section.path.empty()) {
            text += section_text(section, defaults);
        }
    }
    text +=
        "\n## Rules between keys\n\nA configuration that breaks one of these rules is an error. Keys that the chosen "
        "types of "
        "encoder and decoder do not use are ignored, unless a rule says otherwise.\n\n";
    for (const Rule& rule : rules()) {
        if (std::any_of(rule.keys.begin(), rule.keys.end(), find_request_key)) {
            continue;
        }
        text += "- " + rule.statement + ".\n";
    }
    return text;
}

}  // namespace softalign

// The configurations that come with the program, and the documentation of the keys.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/helpers.h"
#include "config/yaml_tree.h"

namespace softalign {

namespace {

namespace fs = std::filesystem;

const fs::path root = SOFTALIGN_SOURCE_DIR;

std::string read_file(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    EXPECT_TRUE(stream) << path;
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// Their paths below configs/, such as papers/rnnsearch50.yaml.
std::vector<std::string> shipped() {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(root / "configs")) {
        if (entry.path().extension() == ".yaml") {
            names.push_back(entry.path().lexically_relative(root / "configs").generic_string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

// Paths of the keys that a file sets.
void collect_keys(const YamlNode& node, const std::string& section, std::vector<std::pair<std::string, int>>& keys) {
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
        const std::string path = join_path(section, node.keys[i].text);
        if (is_section(path)) {
            collect_keys(node.items[i], path, keys);
        } else {
            keys.emplace_back(path, node.keys[i].line);
        }
    }
}

std::vector<std::pair<std::string, int>> keys_of(const std::string& text, const std::string& name) {
    std::vector<std::pair<std::string, int>> keys;
    collect_keys(parse_yaml(text, {name, true}), "", keys);
    return keys;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::size_t start = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
        lines.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return lines;
}

bool has_comment(const std::string& line) {
    return line.find("# ") != std::string::npos;
}

// A comment on the line of a key, or on the line above with nothing else on it.
bool is_commented(const std::vector<std::string>& lines, int line) {
    const std::string& own = lines.at(static_cast<std::size_t>(line) - 1);
    const std::string& above = line > 1 ? lines.at(static_cast<std::size_t>(line) - 2) : own;
    const std::size_t first = above.find_first_not_of(' ');
    return has_comment(own) || (first != std::string::npos && above[first] == '#');
}

class ShippedConfig : public testing::TestWithParam<std::string> {};

TEST_P(ShippedConfig, LoadsAndCanTrain) {
    const std::string path = (root / "configs" / GetParam()).string();
    const Config config = load_config(path, {});
    require_training_keys(config, path);
    EXPECT_EQ(config.checkpoints.directory.find((fs::canonical(root) / "runs").string()), 0U);
    EXPECT_FALSE(config.data.valid_source.empty());
    expect_same_config(parse_config(to_yaml(config), "written", "/elsewhere", {}), config);
}

TEST_P(ShippedConfig, ExplainsEveryKeyItSets) {
    const std::string text = read_file(root / "configs" / GetParam());
    const auto lines = lines_of(text);
    for (const auto& [path, line] : keys_of(text, GetParam())) {
        EXPECT_TRUE(is_commented(lines, line)) << GetParam() << ":" << line << ": " << path;
    }
}

INSTANTIATE_TEST_SUITE_P(Configs, ShippedConfig, testing::ValuesIn(shipped()), [](const auto& info) {
    std::string name = info.param.substr(0, info.param.find('.'));
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
});

TEST(ShippedConfigs, AreAllThere) {
    const std::vector<std::string> names = shipped();
    for (const char* name : {"demo.yaml",
                             "kftt_ja_en.yaml",
                             "multi30k_en_de.yaml",
                             "multi30k_en_fr.yaml",
                             "multi30k_raw_de_en.yaml",
                             "multi30k_raw_en_de.yaml",
                             "multi30k_raw_en_fr.yaml",
                             "template.yaml",
                             "papers/rnnenc30.yaml",
                             "papers/rnnenc30_groundhog.yaml",
                             "papers/rnnenc50.yaml",
                             "papers/rnnenc50_groundhog.yaml",
                             "papers/rnnsearch30.yaml",
                             "papers/rnnsearch30_groundhog.yaml",
                             "papers/rnnsearch50.yaml",
                             "papers/rnnsearch50_groundhog.yaml",
                             "papers/luong_base.yaml",
                             "papers/luong_reverse.yaml",
                             "papers/luong_dropout.yaml",
                             "papers/luong_global_location.yaml",
                             "papers/luong_global_location_feed.yaml",
                             "papers/luong_global_dot.yaml",
                             "papers/luong_global_general.yaml",
                             "papers/luong_global_concat.yaml",
                             "papers/luong_local_m_dot.yaml",
                             "papers/luong_local_m_general.yaml",
                             "papers/luong_local_p_dot.yaml",
                             "papers/luong_local_p_general.yaml",
                             "multi30k_transformer_en_de.yaml",
                             "read_lines.yaml",
                             "papers/show_attend_tell.yaml",
                             "papers/transformer_base.yaml",
                             "papers/cgru_dl4mt.yaml",
                             "papers/cgru_nematus.yaml",
                             "papers/lium_multi30k.yaml",
                             "papers/scaled/rnnenc.yaml",
                             "papers/scaled/rnnsearch.yaml",
                             "papers/scaled/luong.yaml"}) {
        EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
    }
}

// Of a few keys a value for small data, beside which the default is written.
TEST(Template, HoldsEveryKeyOnceWithItsDefaultOrNamesThat) {
    const std::string path = (root / "configs" / "template.yaml").string();
    const std::string text = read_file(path);
    const Config config = load_config(path, {});
    const auto lines = lines_of(text);
    std::set<std::string> present;
    for (const auto& [key_path, line] : keys_of(text, path)) {
        present.insert(key_path);
        const Key& key = *find_key(key_path);
        const std::string& text_of_line = lines.at(static_cast<std::size_t>(line) - 1);
        const std::string mark = "# for small data; the default is ";
        const std::size_t marked = text_of_line.find(mark);
        if (marked != std::string::npos) {
            EXPECT_EQ(text_of_line.substr(marked + mark.size()), format_value(key.get(Config{}), key.type)) << key_path;
            EXPECT_NE(key.get(config), key.get(Config{})) << key_path;
        } else if (text_of_line.find("EDIT") == std::string::npos) {
            expect_same_value(key, config, Config{});
        }
    }
    for (const Key& key : schema()) {
        EXPECT_EQ(present.count(key.path), 1U) << key.path;
    }
}

TEST(Template, SaysWhatIsAllowed) {
    const std::string text = read_file(root / "configs" / "template.yaml");
    const auto lines = lines_of(text);
    for (const auto& [path, line] : keys_of(text, "template.yaml")) {
        std::string comment;
        for (auto i = static_cast<std::size_t>(line) - 1; i > 0; --i) {
            const std::size_t mark = lines.at(i - 1).find_first_not_of(' ');
            if (mark == std::string::npos || lines[i - 1][mark] != '#') {
                break;
            }
            comment = lines[i - 1].substr(mark + 1) + comment;
        }
        const std::string allowed = allowed_text(*find_key(path));
        if (!allowed.empty()) {
            expect_contains(comment, "Allowed: " + allowed + ".");
        }
    }
}

TEST(Template, MarksWhatMustBeEditedAndPutsItFirst) {
    const std::string text = read_file(root / "configs" / "template.yaml");
    const auto lines = lines_of(text);
    std::set<std::string> marked;
    std::set<std::string> sections_seen;
    std::set<std::string> sections_past_marks;
    for (const auto& [path, line] : keys_of(text, "template.yaml")) {
        const std::string section = section_of(path);
        sections_seen.insert(section);
        if (lines.at(static_cast<std::size_t>(line) - 1).find("EDIT") == std::string::npos) {
            sections_past_marks.insert(section);
            continue;
        }
        marked.insert(path);
        EXPECT_LE(sections_seen.size(), 2U) << path << " is marked, but not in the first two sections";
        EXPECT_EQ(sections_past_marks.count(section), 0U) << path << " is marked, but not at the front of its section";
    }
    EXPECT_EQ(marked, (std::set<std::string>{"checkpoints.directory", "data.train_source", "data.train_target",
                                             "data.valid_source", "data.valid_target"}));
}

TEST(Reference, IsTheDocument) {
    EXPECT_EQ(read_file(root / "docs" / "configuration.md"), configuration_reference())
        << "docs/configuration.md is not up to date; write it with: softalign info --config-reference";
}

TEST(Reference, HasARowForEveryKeyAndALineForEveryRule) {
    const std::string text = configuration_reference();
    for (const Key& key : schema()) {
        const std::string row = "| `" + key.path + "` | ";
        const auto at = text.find(row);
        ASSERT_NE(at, std::string::npos) << key.path;
        EXPECT_EQ(text.find(row, at + 1), std::string::npos) << key.path;
        EXPECT_EQ(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                             text.begin() + static_cast<std::ptrdiff_t>(text.find('\n', at)), '|'),
                  7)
            << key.path;
    }
}

}  // namespace

}  // namespace softalign

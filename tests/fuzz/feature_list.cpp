// A source of features: a list of arrays, a line "====", and the file x.npy beside it. That file begins with "{" where
// it is a dictionary, to which magic, version and length are added, with the elements after its first line feed; any
// other is a file as it is. A list that is such a file itself is one array a sentence.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/temporary_folder.h"
#include "data/feature_array.h"
#include "data/npy_files.h"
#include "data/source_lines.h"
#include "fuzz.h"
#include "text/words.h"

namespace softalign {

namespace {

// The files of an input, which lie in memory: list, or list.npy, and x.npy.
class Files {
public:
    Files() {
        for (const char* name : {"list", "list.npy"}) {
            link(list_, name);
        }
        link(array_, "x.npy");
    }

    void hold(std::string_view list, std::string_view array) {
        list_.hold(npy_of(list));
        array_.hold(npy_of(array));
    }

    std::string path(const char* name) const { return folder_.path(name); }

private:
    static std::string npy_of(std::string_view input) {
        if (input.empty() || input.front() != '{') {
            return std::string(input);
        }
        const std::size_t end = std::min(input.find('\n'), input.size());
        return npy_file(std::string(input.substr(0, end)), std::string(input.substr(std::min(end + 1, input.size()))));
    }

    void link(MemoryFile& file, const char* name) const {
        require(::symlink(file.hold("").c_str(), path(name).c_str()) == 0, "a link can be made");
    }

    const TemporaryFolder folder_;
    MemoryFile list_;
    MemoryFile array_;
};

void check(const FeatureArray& array) {
    const Grid& grid = array.grid();
    require(grid.height >= 1 && grid.width >= 1 && grid.positions() <= FeatureArray::most_positions,
            "a grid has limits");
    require(array.depth() >= 1 && array.depth() <= FeatureArray::most_depth, "so have the numbers at a position");
    accepts([&] {
        const Features features = array.read();
        require(features.grid == grid && features.depth == array.depth(), "what is read has the shape that was told");
        require(static_cast<std::int64_t>(features.values.size()) == grid.positions() * array.depth(),
                "there is a number for each place");
        require(std::all_of(features.values.begin(), features.values.end(), [](float x) { return std::isfinite(x); }),
                "what is read is finite");
    });
}

// Only the files of this input are opened: what else a list names may be anything.
bool is_ours(const std::string& name, const Files& files) {
    return name.rfind(files.path("x.npy"), 0) == 0 || name.rfind(files.path("list"), 0) == 0;
}

void read(const Files& files, const char* list) {
    std::vector<std::string> names;
    accepts([&] {
        SourceLines reader(files.path(list), SourceType::features);
        std::int64_t lines = 0;
        for (std::string name; reader.next(name);) {
            reader.require_utf8(name);
            require(reader.line_number() == ++lines, "lines are counted");
            require(name.empty() || is_blank(name) || name.front() == '/', "a name is a path from the root");
            names.push_back(name);
        }
        require(reader.line_number() == lines, "the end is no line");
    });
    std::int64_t first_depth = 0;
    for (const std::string& name : names) {
        if (is_ours(name, files)) {
            accepts([&] {
                const FeatureArray array(name);
                first_depth = name == names.front() ? array.depth() : first_depth;
                check(array);
            });
        }
    }
    if (first_depth > 0) {
        require(feature_depth(files.path(list)) == first_depth, "the first array tells the size of all");
    }
}

void run(std::string_view input) {
    static Files files;
    const std::vector<std::string_view> parts = cut(input, 2);
    files.hold(parts[0], parts[1]);
    read(files, "list");
    read(files, "list.npy");
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}

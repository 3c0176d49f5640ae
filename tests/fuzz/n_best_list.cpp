// An n-best list, a line "====", and its source.
#include "translate/n_best_list.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.h"

namespace softalign {

namespace {

std::string lines_of(NBestReader& reader) {
    std::string lines;
    std::int64_t before = -1;
    for (NBestBlock block; reader.next(block);) {
        require(!block.entries.empty() && block.entries.front().index > before, "sentences are in their order");
        before = block.entries.front().index;
        for (NBestEntry& entry : block.entries) {
            require(entry.index == before, "entries of a sentence stand together");
            has_feature(entry, "Score");
            lines += to_line(entry) + "\n";
        }
    }
    require(before < reader.sentences(), "a list does not go beyond its source");
    return lines;
}

void run(std::string_view input) {
    const std::vector<std::string_view> parts = cut(input, 2);
    MemoryFile list;
    MemoryFile source;
    const std::string& list_path = list.hold(parts[0]);
    const std::string& source_path = source.hold(parts[1]);
    accepts([&] {
        NBestReader reader(list_path, source_path, true);
        lines_of(reader);
    });
    accepts([&] {
        NBestReader reader(list_path, source_path, false);
        const std::string lines = lines_of(reader);
        MemoryFile copy;
        NBestReader again(copy.hold(lines), source_path, false);
        require(lines_of(again) == lines, "what is written is read back");
    });
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}

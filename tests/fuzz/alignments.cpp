// Links of words in Pharaoh's format.
#include "data/alignment_side.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.h"

namespace softalign {

namespace {

void run(std::string_view input) {
    MemoryFile memory;
    const std::string& path = memory.hold(input);
    AlignmentSide side("");
    std::int64_t pairs = 0;
    constexpr std::size_t words = 1000;
    accepts([&] {
        side.open(path);
        while (side.next()) {
            if (accepts([&] { side.add(words, words); })) {
                ++pairs;
            }
        }
    });
    side.finish();
    const std::vector<std::int32_t> pieces{0, 0, 1, 2, 999};
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
        const std::vector<WordLink> links = side.links(pair);
        for (std::size_t i = 0; i < links.size(); ++i) {
            const WordLink& link = links[i];
            require(link.source >= 0 && link.source < static_cast<std::int32_t>(words) && link.target >= 0 &&
                        link.target < static_cast<std::int32_t>(words),
                    "links are of words that are there");
            require(i == 0 || links[i - 1].source < link.source || links[i - 1].target < link.target,
                    "links are in order, each once");
        }
        for (const PieceLink& link : links_of_pieces(links, pieces, pieces)) {
            require(link.source >= 0 && link.source < 5 && link.target >= 0 && link.target < 5,
                    "links are of pieces that are there");
        }
    }
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}

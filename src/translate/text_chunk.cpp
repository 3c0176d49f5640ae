#include "translate/text_chunk.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace softalign {

bool next_pairs(ParallelLines& lines, std::size_t most, std::vector<SentencePair>& pairs, std::size_t bytes) {
    pairs.clear();
    SentencePair pair;
    for (std::size_t read = 0; pairs.size() < most && read < bytes;) {
        if (!lines.next(pair.source, pair.target)) {
            return false;
        }
        read += pair.source.size() + pair.target.size();
        pairs.push_back(pair);
    }
    return true;
}

bool next_blocks(NBestReader& list, std::size_t most, std::vector<NBestBlock>& blocks, std::size_t bytes) {
    blocks.clear();
    NBestBlock block;
    std::size_t read = 0;
    for (std::size_t entries = 0; entries < most && read < bytes && list.next(block);) {
        entries += block.entries.size();
        for (const NBestEntry& entry : block.entries) {
            read += block.source.size() + entry.text.size() + entry.features.size();
        }
        blocks.push_back(std::move(block));
    }
    return !blocks.empty();
}

}  // namespace softalign

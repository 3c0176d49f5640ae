#include "translate/pair_chunk.h"

#include <cstddef>
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

}  // namespace softalign

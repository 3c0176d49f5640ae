#include "translate/stream.h"

#include <cstddef>
#include <cstdint>
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

void translate_stream(BatchTranslator& translator, RequestQueue& requests, const WriteTranslations& write,
                      const StreamOptions& options) {
    const auto most = static_cast<std::size_t>(options.chunk);
    const std::size_t least = options.full_chunks ? most : 1;
    std::int64_t index = 0;
    for (std::vector<TranslationRequest> chunk; requests.take(least, most, chunk);) {
        translator.translate(chunk, [&](const std::vector<std::vector<Translation>>& part) {
            for (const std::vector<Translation>& translations : part) {
                write(index++, translations);
            }
            if (options.after_chunk) {
                options.after_chunk();
            }
        });
    }
}

}  // namespace softalign

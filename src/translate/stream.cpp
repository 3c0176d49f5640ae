#include "translate/stream.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softalign {

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

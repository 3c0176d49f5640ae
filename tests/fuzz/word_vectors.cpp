// Word vectors in fastText's text format.
#include "text/word_vectors.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz.h"

namespace softalign {

namespace {

void run(std::string_view input) {
    MemoryFile memory;
    const std::string& path = memory.hold(input);
    std::optional<WordVectors> vectors;
    if (!accepts([&] { vectors.emplace(path); })) {
        return;
    }
    std::int64_t words = 0;
    const bool whole = accepts([&] {
        while (vectors->next()) {
            ++words;
            require(!vectors->word().empty(), "a word has characters");
            require(static_cast<std::int64_t>(vectors->vector().size()) == vectors->width(), "a vector is whole");
            for (const float value : vectors->vector()) {
                require(std::isfinite(value), "a vector is finite");
            }
        }
    });
    require(words <= vectors->count(), "no more words than were announced");
    require(!whole || words == vectors->count(), "no fewer words than were announced");
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}

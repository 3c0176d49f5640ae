#include "text/vocabulary_checksum.h"

#include <cstdint>
#include <string>

namespace softalign {

std::uint64_t vocabulary_checksum(const Tokenizer& tokenizer) {
    std::uint64_t sum = 14695981039346656037ULL;
    const auto add = [&](unsigned char byte) { sum = (sum ^ byte) * 1099511628211ULL; };
    const SpecialIds special = tokenizer.special();
    for (const std::int32_t id : {special.pad, special.unk, special.bos, special.eos, tokenizer.size()}) {
        for (int shift = 0; shift < 32; shift += 8) {
            add(static_cast<unsigned char>(static_cast<std::uint32_t>(id) >> shift));
        }
    }
    for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
        for (const char c : tokenizer.piece(id)) {
            add(static_cast<unsigned char>(c));
        }
        add(0);  // the end of a piece, so that "ab" and "c" are not "a" and "bc"
    }
    return sum;
}

}  // namespace softalign

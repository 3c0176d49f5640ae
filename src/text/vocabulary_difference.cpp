#include <cstdint>
#include <string>
#include <utility>

#include "base/little_endian.h"
#include "base/random.h"
#include "text/vocabulary_file.h"

namespace softalign {

std::uint64_t vocabulary_checksum(const Tokenizer& tokenizer) {
    std::string bytes;
    const SpecialIds special = tokenizer.special();
    for (const std::int32_t id : {special.pad, special.unk, special.bos, special.eos, tokenizer.size()}) {
        bytes += little_endian(static_cast<std::uint32_t>(id), sizeof id);
    }
    for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
        bytes.append(tokenizer.piece(id)).push_back('\0');  // so that "ab" and "c" are not "a" and "bc"
    }
    return hash_text(bytes);
}

std::string vocabulary_difference(const Tokenizer& one, const Tokenizer& other) {
    if (&one == &other) {
        return "";
    }
    const auto values = [](auto a, auto b) { return std::to_string(a) + " and " + std::to_string(b); };
    if (one.size() != other.size()) {
        return values(one.size(), other.size()) + " pieces";
    }
    const std::pair<const char*, std::int32_t SpecialIds::*> special[] = {
        {"padding", &SpecialIds::pad},
        {"the unknown piece", &SpecialIds::unk},
        {"the begin of sentence", &SpecialIds::bos},
        {"the end of sentence", &SpecialIds::eos},
    };
    for (const auto& [name, id] : special) {
        if (one.special().*id != other.special().*id) {
            return std::string("the id of ") + name + " is " + values(one.special().*id, other.special().*id);
        }
    }
    for (std::int32_t id = 0; id < one.size(); ++id) {
        if (one.piece(id) != other.piece(id)) {
            return "the piece of id " + std::to_string(id) + " is \"" + one.piece(id) + "\" and \"" + other.piece(id) +
                   "\"";
        }
    }
    return "";
}

std::string segmentation_difference(const Tokenizer& one, const Tokenizer& other) {
    if (&one == &other) {
        return "";
    }
    std::string difference = vocabulary_difference(one, other);
    if (!difference.empty()) {
        return difference;
    }
    const SegmentationRules a = one.segmentation_rules();
    const SegmentationRules b = other.segmentation_rules();
    const std::string alike = "the same pieces, but ";
    return a.algorithm != b.algorithm           ? alike + "another way to cut text into them"
           : a.pieces != b.pieces               ? alike + "other scores of them"
           : a.normalization != b.normalization ? alike + "another normalisation of the text"
                                                : "";
}

}  // namespace softalign

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "text/words.h"

namespace softalign {

// One piece a byte, with the mark of a word before the first of each; the pieces "<mark>a" and "ing" besides.
class ByteTokenizer : public Tokenizer {
public:
    std::int32_t size() const override { return extras + 2; }
    SpecialIds special() const override { return {}; }

    std::vector<std::int32_t> encode(std::string_view text) const override {
        std::vector<std::int32_t> ids;
        for (const std::string_view word : words_of(text)) {
            ids.push_back(mark_id);
            for (const char byte : word) {
                ids.push_back(first_byte + static_cast<unsigned char>(byte));
            }
        }
        return ids;
    }

    std::vector<std::int32_t> sample(std::string_view text, std::uint64_t) const override { return encode(text); }

    std::string decode(const std::vector<std::int32_t>& ids) const override {
        std::string text;
        for (const std::int32_t id : ids) {
            text += piece(id);
        }
        return text;
    }

    std::vector<std::int32_t> silent_ids() const override { return {special().pad, special().bos}; }
    std::string piece(std::int32_t id) const override {
        if (id < mark_id) {
            return "<" + std::to_string(id) + ">";
        }
        if (id == mark_id || id == extras) {
            return id == extras ? "\xE2\x96\x81"
                                  "a"
                                : "\xE2\x96\x81";
        }
        return id > extras ? "ing" : std::string(1, static_cast<char>(id - first_byte));
    }

private:
    static constexpr std::int32_t mark_id = 4;
    static constexpr std::int32_t first_byte = 5;
    static constexpr std::int32_t extras = first_byte + 256;
};

}  // namespace softalign

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "text/words.h"

namespace softalign {

// One piece a word, in no vocabulary in particular.
class WordTokenizer : public Tokenizer {
public:
    std::int32_t size() const override { return 1000; }
    SpecialIds special() const override { return {}; }

    std::vector<std::int32_t> encode(std::string_view text) const override {
        std::vector<std::int32_t> ids;
        for (const std::string_view word : words_of(text)) {
            ids.push_back(static_cast<std::int32_t>(4 + std::hash<std::string_view>()(word) % 996));
        }
        return ids;
    }

    std::vector<std::int32_t> sample(std::string_view text, std::uint64_t) const override { return encode(text); }
    std::string decode(const std::vector<std::int32_t>&) const override { return ""; }
    std::vector<std::int32_t> silent_ids() const override { return {special().pad, special().bos}; }
    std::string piece(std::int32_t id) const override { return "w" + std::to_string(id); }
};

}  // namespace softalign

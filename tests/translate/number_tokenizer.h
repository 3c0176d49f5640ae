#pragma once

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/tokenizer.h"
#include "text/words.h"

namespace softalign {

// A language whose words are the numbers 4, 5, ... up to its size; anything else is unknown. "*" has no pieces.
class NumberTokenizer : public Tokenizer {
public:
    explicit NumberTokenizer(std::int32_t size) : size_(size) {}

    std::int32_t size() const override { return size_; }
    SpecialIds special() const override { return {}; }

    std::vector<std::int32_t> encode(std::string_view text) const override {
        std::vector<std::int32_t> ids;
        std::istringstream words{std::string(text)};
        for (std::string word; words >> word;) {
            if (word == "poison") {
                throw std::runtime_error("poisoned");
            }
            if (word != "*") {
                const int id = std::atoi(word.c_str());
                ids.push_back(id >= 4 && id < size_ ? id : special().unk);
            }
        }
        return ids;
    }

    std::vector<std::int32_t> sample(std::string_view text, std::uint64_t /*key*/) const override {
        return encode(text);
    }

    std::string decode(const std::vector<std::int32_t>& ids) const override {
        std::string text;
        for (const std::int32_t id : ids) {
            if (id == undecodable_) {
                throw std::runtime_error("undecodable");
            }
            text += (text.empty() ? "" : " ") + piece(id);
        }
        return text;
    }

    std::vector<std::int32_t> silent_ids() const override { return {special().pad, special().bos}; }

    std::string piece(std::int32_t id) const override { return id == line_feed_ ? "\n" : std::to_string(id); }

    std::string spelling(std::int32_t id) const override { return "\xE2\x96\x81" + piece(id); }

    std::vector<std::pair<std::string, std::int32_t>> segment(std::string_view text) const override {
        std::vector<std::pair<std::string, std::int32_t>> pieces;
        for (const std::string_view word : words_of(text)) {
            for (const std::int32_t id : encode(word)) {
                pieces.emplace_back("\xE2\x96\x81" + std::string(word), id);
            }
        }
        return pieces;
    }

    // The id that decodes to a line feed, or that fails; none at first.
    void set_line_feed(std::int32_t id) { line_feed_ = id; }
    void set_undecodable(std::int32_t id) { undecodable_ = id; }

private:
    std::int32_t size_;
    std::int32_t line_feed_ = -1;
    std::int32_t undecodable_ = -1;
};

}  // namespace softalign

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/tokenizer.h"

namespace softalign {

// A vocabulary that is nothing but a list of pieces.
class PieceList : public Tokenizer {
public:
    explicit PieceList(std::vector<std::string> pieces, SpecialIds special = {})
        : pieces_(std::move(pieces)), special_(special) {}

    std::int32_t size() const override { return static_cast<std::int32_t>(pieces_.size()); }
    SpecialIds special() const override { return special_; }
    std::vector<std::int32_t> encode(std::string_view) const override { return {}; }
    std::vector<std::int32_t> sample(std::string_view, std::uint64_t) const override { return {}; }
    std::string decode(const std::vector<std::int32_t>&) const override { return ""; }
    std::vector<std::int32_t> silent_ids() const override { return {special().pad, special().bos}; }
    std::string piece(std::int32_t id) const override { return pieces_.at(static_cast<std::size_t>(id)); }

private:
    std::vector<std::string> pieces_;
    SpecialIds special_;
};

}  // namespace softalign

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "text/tokenizer.h"

namespace softalign {

// Takes the place of a vocabulary where a side is no text: it has no pieces, and nothing may be asked of it.
class NoText : public Tokenizer {
public:
    std::int32_t size() const override { return 0; }
    SpecialIds special() const override { return {}; }
    std::vector<std::int32_t> encode(std::string_view /*text*/) const override { throw is_no_text(); }
    std::vector<std::int32_t> sample(std::string_view /*text*/, std::uint64_t /*key*/) const override {
        throw is_no_text();
    }
    std::string decode(const std::vector<std::int32_t>& /*ids*/) const override { throw is_no_text(); }
    std::string piece(std::int32_t /*id*/) const override { throw is_no_text(); }
    std::vector<std::int32_t> silent_ids() const override { return {}; }

private:
    static Error is_no_text() { return {ExitCode::internal, "features are used as text"}; }
};

}  // namespace softalign

#include "text/vocabulary_bounds.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softalign {

namespace {

// The fields of a message one after another (protobuf.dev/programming-guides/encoding).
class Fields {
public:
    explicit Fields(std::string_view message) : rest_(message) {}

    // False at the end, and where what follows is no field: see bad().
    bool next() {
        std::uint64_t tag = 0;
        if (rest_.empty() || !read_varint(tag) || tag > 0xFFFFFFFFU) {
            bad_ = bad_ || tag > 0xFFFFFFFFU;
            return false;
        }
        number_ = tag >> 3;
        bytes_ = {};
        value_ = 0;
        switch (tag & 7) {
            case 0:
                return read_varint(value_);
            case 1:
                return take(8);
            case 2: {
                std::uint64_t length = 0;
                return read_varint(length) && take(length);
            }
            case 5:
                return take(4);
            default:  // groups, which SentencePiece's messages do not have
                bad_ = true;
                return false;
        }
    }

    bool bad() const { return bad_; }
    std::uint64_t number() const { return number_; }
    std::string_view bytes() const { return bytes_; }
    std::uint64_t value() const { return value_; }

private:
    bool read_varint(std::uint64_t& value) {
        constexpr int most = 10;  // bytes, of 7 bits each
        value = 0;
        for (int i = 0; i < most && !rest_.empty(); ++i) {
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * i);
            if (byte < 0x80) {
                return true;
            }
        }
        bad_ = true;
        return false;
    }

    bool take(std::uint64_t length) {
        bad_ = bad_ || length > rest_.size();
        if (!bad_) {
            bytes_ = rest_.substr(0, length);
            rest_.remove_prefix(length);
        }
        return !bad_;
    }

    std::string_view rest_;
    std::uint64_t number_ = 0;
    std::string_view bytes_;
    std::uint64_t value_ = 0;
    bool bad_ = false;
};

// A compiled table of normalization: 4 bytes with the size of the double array, the array, and texts that end in 0.
class CharacterMap {
public:
    explicit CharacterMap(std::string_view blob) {
        std::uint32_t size = 0;
        if (blob.size() > sizeof size) {
            std::memcpy(&size, blob.data(), sizeof size);
        }
        if (size == 0 || size >= blob.size() - sizeof size) {
            return;
        }
        units_.resize(size / sizeof(std::uint32_t));
        std::memcpy(units_.data(), blob.data() + sizeof size, units_.size() * sizeof(std::uint32_t));
        texts_ = blob.substr(sizeof size + size);
    }

    // Goes through all states that some text leads to, each once; behind it is the number of rules on the longest way.
    bool keeps_bounds() {
        if (units_.empty() || texts_.empty() || texts_.back() != '\0') {
            return false;
        }
        rules_.assign(units_.size(), unseen);
        std::vector<Visit> way;
        if (!enter(0, way)) {
            return false;
        }
        while (!way.empty()) {
            Visit& visit = way.back();
            const std::optional<std::uint32_t> child = next_child(visit);
            if (!child) {
                if (!leave(way)) {
                    return false;
                }
            } else if (rules_[*child] == unseen) {
                if (!enter(*child, way)) {
                    return false;
                }
            } else if (rules_[*child] == on_the_way) {  // a circle
                return false;
            } else {
                visit.rules = std::max(visit.rules, rules_[*child]);
            }
        }
        return true;
    }

private:
    static constexpr int unseen = -2;
    static constexpr int on_the_way = -1;
    static constexpr std::uint32_t label_bits = 0x800000FFU;

    struct Visit {
        std::uint32_t state;
        std::uint32_t base;  // children are at base ^ byte
        std::uint32_t byte;  // the next to look at
        int rules;           // behind it
    };

    bool enter(std::uint32_t state, std::vector<Visit>& way) {
        const std::uint32_t unit = units_[state];
        const std::uint32_t base = state ^ ((unit >> 10) << ((unit & (1U << 9)) >> 6));
        if ((base | 0xFFU) >= units_.size() || (is_rule(state) && !has_text(base))) {
            return false;
        }
        rules_[state] = on_the_way;
        way.push_back({state, base, 0, 0});
        return true;
    }

    bool is_rule(std::uint32_t state) const { return state != 0 && ((units_[state] >> 8) & 1) != 0; }

    bool has_text(std::uint32_t leaf) const {
        constexpr std::size_t longest = 1024;
        const std::size_t at = units_[leaf] & 0x7FFFFFFFU;
        return at < texts_.size() && texts_.find('\0', at) - at <= longest;
    }

    std::optional<std::uint32_t> next_child(Visit& visit) const {
        while (visit.byte < 256) {
            const std::uint32_t byte = visit.byte++;
            if ((units_[visit.base ^ byte] & label_bits) == byte) {
                return visit.base ^ byte;
            }
        }
        return std::nullopt;
    }

    // False where there are more rules than SentencePiece has room for.
    bool leave(std::vector<Visit>& way) {
        constexpr int most = 32;
        const Visit visit = way.back();
        way.pop_back();
        const int rules = visit.rules + (is_rule(visit.state) ? 1 : 0);
        rules_[visit.state] = rules;
        if (!way.empty()) {
            way.back().rules = std::max(way.back().rules, rules);
        }
        return rules <= most;
    }

    std::vector<std::uint32_t> units_;
    std::string_view texts_;
    std::vector<int> rules_;  // by state: on the longest way from it, itself included
};

// The last field counts where one is given several times; here all of them must be good.
bool normalization_keeps_bounds(std::string_view message) {
    constexpr std::uint64_t compiled_map = 2;
    Fields fields(message);
    while (fields.next()) {
        if (fields.number() == compiled_map && !fields.bytes().empty() &&
            !CharacterMap(fields.bytes()).keeps_bounds()) {
            return false;
        }
    }
    return !fields.bad();
}

// Adds the piece where it is a symbol of the user.
bool read_piece(std::string_view message, std::vector<std::string_view>& symbols) {
    constexpr std::uint64_t text_number = 1;
    constexpr std::uint64_t type_number = 3;
    constexpr std::uint64_t user_defined = 4;
    Fields fields(message);
    std::string_view text;
    bool is_symbol = false;
    while (fields.next()) {
        // Tables know texts up to a zero byte, and numbers by their lower half.
        text = fields.number() == text_number ? fields.bytes().substr(0, fields.bytes().find('\0')) : text;
        is_symbol = is_symbol || (fields.number() == type_number && (fields.value() & 0xFFFFFFFFU) == user_defined);
    }
    if (is_symbol) {
        symbols.push_back(text);
    }
    return !fields.bad();
}

// How many of the texts begin with each other at the most.
std::size_t longest_chain(std::vector<std::string_view> texts) {
    std::sort(texts.begin(), texts.end());
    std::vector<std::string_view> chain;
    std::size_t longest = 0;
    for (const std::string_view text : texts) {
        while (!chain.empty() && text.substr(0, chain.back().size()) != chain.back()) {
            chain.pop_back();
        }
        chain.push_back(text);
        longest = std::max(longest, chain.size());
    }
    return longest;
}

}  // namespace

bool keeps_bounds(std::string_view model) {
    constexpr std::uint64_t piece = 1;
    constexpr std::uint64_t normalizer = 3;
    constexpr std::uint64_t denormalizer = 5;
    constexpr std::size_t most_symbols_in_a_chain = 64;
    Fields fields(model);
    std::vector<std::string_view> symbols;
    while (fields.next()) {
        const bool is_normalization = fields.number() == normalizer || fields.number() == denormalizer;
        if ((fields.number() == piece && !read_piece(fields.bytes(), symbols)) ||
            (is_normalization && !normalization_keeps_bounds(fields.bytes()))) {
            return false;
        }
    }
    return !fields.bad() && longest_chain(std::move(symbols)) <= most_symbols_in_a_chain;
}

}  // namespace softalign

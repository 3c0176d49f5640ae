#include "text/vocabulary_file.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary_message.h"

namespace softalign {

namespace {

using namespace vocabulary_message;

// Beyond it sums of scores are infinite, and there is no probability to draw by.
constexpr float largest_score = 1e20F;

// Results that SentencePiece has room for where it looks for the rules, and for the user-defined pieces, that a text
// begins with.
constexpr std::size_t most_rules = 32;
constexpr std::size_t most_pieces = 64;

// The rules of a normalisation: a double array (Aoe 1989, in the form of darts-clone) that leads from what is to be
// replaced to where its replacement begins in the text behind it, which ends with a NUL byte.
class RuleTable {
public:
    bool is_sound(std::string_view table) {
        std::uint32_t size = 0;
        if (table.size() < sizeof(size)) {
            return false;
        }
        std::memcpy(&size, table.data(), sizeof(size));
        table.remove_prefix(sizeof(size));
        constexpr std::size_t block = 256;
        constexpr std::size_t largest = std::size_t{1} << 24;  // a hundred times that of Unicode's own rules
        if (size == 0 || size > largest || size % (block * sizeof(std::uint32_t)) != 0 || size >= table.size() ||
            table.back() != '\0') {
            return false;
        }
        units_.resize(size / sizeof(std::uint32_t));
        std::memcpy(units_.data(), table.data(), size);
        replacements_ = table.size() - size;
        return walk();
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};

    enum class State : char { unseen, open, done };

    // A unit's children lie at its base, each at the exclusive or of the base and the byte that leads to it.
    std::size_t base_of(std::size_t unit) const {
        const std::uint32_t bits = units_[unit];
        return unit ^ (static_cast<std::size_t>(bits >> 10) << ((bits & (1U << 9)) >> 6));
    }

    std::size_t child_of(std::size_t unit) const { return first_child_[base_of(unit)]; }

    // The children by the base that they belong to, as lists.
    void find_children() {
        first_child_.assign(units_.size(), none);
        next_child_.assign(units_.size(), none);
        for (std::size_t unit = 0; unit < units_.size(); ++unit) {
            if ((units_[unit] >> 31) == 0) {
                const std::size_t base = unit ^ (units_[unit] & 0xFF);
                next_child_[unit] = first_child_[base];
                first_child_[base] = unit;
            }
        }
    }

    bool has_rule(std::size_t unit) const { return unit != 0 && (units_[unit] >> 8 & 1) != 0; }

    bool leads_somewhere(std::size_t unit) const {
        const std::size_t base = base_of(unit);
        return base < units_.size() && (!has_rule(unit) || (units_[base] & 0x7FFFFFFF) < replacements_);
    }

    // Every unit that a text can lead to leads on or to a replacement that is there, no way leads back to where it was,
    // and the rules on a way are not too many. Ways may meet: endings that rules have in common are there once.
    bool walk() {
        find_children();
        std::vector<State> states(units_.size(), State::unseen);
        std::vector<std::size_t> rules(units_.size(), 0);  // the most on a way that begins at a unit
        std::vector<std::size_t> left{0};
        while (!left.empty()) {
            const std::size_t unit = left.back();
            if (states[unit] == State::unseen) {
                if (!leads_somewhere(unit)) {
                    return false;
                }
                states[unit] = State::open;
                for (std::size_t child = child_of(unit); child != none; child = next_child_[child]) {
                    if (states[child] == State::open) {
                        return false;
                    }
                    if (states[child] == State::unseen) {
                        left.push_back(child);
                    }
                }
                continue;
            }
            left.pop_back();
            if (states[unit] == State::open) {
                states[unit] = State::done;
                for (std::size_t child = child_of(unit); child != none; child = next_child_[child]) {
                    rules[unit] = std::max(rules[unit], rules[child]);
                }
                rules[unit] += has_rule(unit) ? 1 : 0;
                if (rules[unit] > most_rules) {
                    return false;
                }
            }
        }
        return true;
    }

    std::vector<std::uint32_t> units_;
    std::size_t replacements_ = 0;  // bytes
    std::vector<std::size_t> first_child_;
    std::vector<std::size_t> next_child_;
};

bool is_sound_normalizer(std::string_view message) {
    Fields fields(message);
    while (fields.next()) {
        if (fields.number == normalizer_table && !fields.bytes.empty() && !RuleTable().is_sound(fields.bytes)) {
            return false;
        }
    }
    return fields.sound();
}

// Whether the message is sound and its score, if that is one, a number to reckon with. Appends the text of a piece that
// its maker has named.
bool read_piece(std::string_view message, std::vector<std::string_view>& named) {
    Fields fields(message);
    std::string_view text;
    bool is_named = false;
    while (fields.next()) {
        float score = 0.0F;
        if (fields.number == piece_text) {
            text = fields.bytes;
        } else if (fields.number == piece_type) {
            is_named = is_named || static_cast<std::uint32_t>(fields.value) == user_defined;
        } else if (fields.number == piece_score && fields.bytes.size() == sizeof(score)) {
            std::memcpy(&score, fields.bytes.data(), sizeof(score));
            if (!(std::abs(score) <= largest_score)) {
                return false;
            }
        }
    }
    if (is_named) {
        named.push_back(text);
    }
    return fields.sound();
}

// The most of these that one text begins with.
std::size_t most_that_begin_alike(std::vector<std::string_view> texts) {
    std::sort(texts.begin(), texts.end());
    std::vector<std::string_view> beginnings;
    std::size_t most = 0;
    for (const std::string_view text : texts) {
        while (!beginnings.empty() && text.substr(0, beginnings.back().size()) != beginnings.back()) {
            beginnings.pop_back();
        }
        beginnings.push_back(text);
        most = std::max(most, beginnings.size());
    }
    return most;
}

}  // namespace

std::string fault_of_vocabulary_file(std::string_view bytes) {
    Fields fields(bytes);
    std::vector<std::string_view> named;
    while (fields.next()) {
        if (fields.number == model_pieces) {
            if (!read_piece(fields.bytes, named)) {
                return "one of its pieces is damaged";
            }
        } else if (fields.number == model_normalizer || fields.number == model_denormalizer) {
            if (!is_sound_normalizer(fields.bytes)) {
                return "the table of its normalisation is damaged";
            }
        }
    }
    if (!fields.sound()) {
        return "it is another kind of file, or damaged";
    }
    if (most_that_begin_alike(named) > most_pieces) {
        return "more than " + std::to_string(most_pieces) + " of its user-defined pieces begin alike";
    }
    return "";
}

}  // namespace softalign

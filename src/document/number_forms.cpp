#include "document/number_forms.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "document/characters.h"
#include "document/span_patterns.h"

namespace softalign {

namespace {

// Whether anything but a sign of fractions or thousands is between the digits of a number.
bool is_parted(std::string_view number) {
    constexpr std::string_view signs = ".,\u066B\u066C";  // the Arabic ones
    bool has_begun = false;
    for (std::size_t at = 0; at < number.size(); at += character_size(number, at)) {
        const bool is_digit = u_charDigitValue(character_at(number, at)) >= 0;
        const std::string_view character = number.substr(at, character_size(number, at));
        if (has_begun && !is_digit && signs.find(character) == std::string_view::npos) {
            return true;
        }
        has_begun = has_begun || is_digit;
    }
    return false;
}

}  // namespace

std::vector<std::string> parts_of(std::string_view number) {
    std::vector<std::string> parts;
    bool goes_on = false;
    for (std::size_t at = 0; at < number.size(); at += character_size(number, at)) {
        const std::int32_t digit = u_charDigitValue(character_at(number, at));
        if (digit >= 0 && !goes_on) {
            parts.emplace_back();
        }
        goes_on = digit >= 0;
        if (goes_on) {
            parts.back() += static_cast<char>('0' + digit);
        }
    }
    return parts;
}

std::string digits_of(std::string_view number) {
    return join(parts_of(number), "");
}

std::string without_zeros(std::string_view digits) {
    return std::string(digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1)));
}

bool has_sign(std::string_view number) {
    return number.front() != '.' && u_charDigitValue(character_at(number, 0)) < 0;
}

bool is_compound(std::string_view number, std::string_view word) {
    const std::vector<std::string> parts = parts_of(number);
    const bool is_day = parts.size() == 2 && parts[0].size() <= 2 && ends_with(word, std::string(number) + ".");
    const bool is_date = (is_day || parts.size() == 3) && parts[1].size() <= 2;
    return is_date || (parts.size() > 1 && !has_groups(number) && is_parted(number));
}

bool is_without_zeros(std::string_view number, std::string_view other) {
    const std::vector<std::string> parts = parts_of(number);
    const std::string digits = digits_of(number);
    const std::string others = digits_of(other);
    if (number.front() == '.') {
        return others == "0" + digits && parts_of(other).front() == "0";
    }
    if (has_sign(number) || has_sign(other) || parts.size() > 2 || others.size() <= digits.size()) {
        return false;
    }
    const std::size_t zeros = others.size() - digits.size();
    const std::size_t places = zeros + (parts.size() == 2 ? parts[1].size() : 0);
    return places % 3 == 0 && others == digits + std::string(zeros, '0');
}

bool is_same_time(std::string_view by_twelve, HalfOfDay half, std::string_view by_twenty_four) {
    if (half == HalfOfDay::none) {
        return false;
    }
    constexpr int hours = 12;  // of half a day
    constexpr std::string_view minute_signs = ":.";
    const bool has_minutes = by_twelve.find_first_of(minute_signs) != std::string_view::npos ||
                             by_twenty_four.find_first_of(minute_signs) != std::string_view::npos;
    std::vector<std::string> parts = parts_of(by_twelve);
    std::vector<std::string> others = parts_of(by_twenty_four);
    const std::size_t count = std::max(parts.size(), others.size());
    parts.resize(count, "00");
    others.resize(count, "00");
    for (std::size_t i = 0; i < count; ++i) {
        if (parts[i].size() > 2 || others[i].size() > 2) {
            return false;
        }
        const int hour = std::stoi(parts[i]);
        const bool is_same_hour = hour >= 1 && hour <= hours &&
                                  hour % hours + (half == HalfOfDay::after_noon ? hours : 0) == std::stoi(others[i]);
        if (i > 0 && has_minutes ? parts[i] != others[i] : !is_same_hour) {
            return false;
        }
    }
    return true;
}

bool take_parts(std::vector<std::string>& parts, const std::vector<std::string>& taken) {
    std::vector<std::string> left = parts;
    for (const std::string& part : taken) {
        const auto found = std::find_if(left.begin(), left.end(), [&part](const std::string& one) {
            return !one.empty() && (one == part || without_zeros(one) == part);
        });
        if (found == left.end()) {
            return false;
        }
        found->clear();
    }
    parts = std::move(left);
    return true;
}

}  // namespace softalign

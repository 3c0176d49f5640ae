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

// A run of digits of a number, as ASCII, and what stands between it and the run before.
struct Digits {
    std::string digits;
    std::string_view between;
};

std::vector<Digits> runs_of_digits(std::string_view number) {
    std::vector<Digits> runs;
    std::size_t end = 0;  // of the last digit
    for (std::size_t at = 0; at < number.size(); at += character_size(number, at)) {
        const std::int32_t digit = u_charDigitValue(character_at(number, at));
        if (digit < 0) {
            continue;
        }
        if (runs.empty() || at > end) {
            runs.push_back({"", number.substr(end, at - end)});
        }
        runs.back().digits += static_cast<char>('0' + digit);
        end = at + character_size(number, at);
    }
    return runs;
}

// Whether anything but a sign of fractions or thousands is between the digits of a number.
bool is_parted(std::string_view number) {
    constexpr std::string_view signs = ".,\u066B\u066C";  // the Arabic ones
    const std::vector<Digits> runs = runs_of_digits(number);
    return !runs.empty() && std::any_of(runs.begin() + 1, runs.end(), [&](const Digits& run) {
        return signs.find(run.between) == std::string_view::npos;
    });
}

constexpr int half_a_day = 12;  // hours

// The half of the day of a time in front of another one.
HalfOfDay half_before(const Time& time, const Time& next) {
    const bool goes_over = time.hour % half_a_day > next.hour % half_a_day;
    return goes_over && next.half != HalfOfDay::none ? HalfOfDay::either : next.half;
}

}  // namespace

std::vector<std::string> parts_of(std::string_view number) {
    std::vector<std::string> parts;
    for (const Digits& run : runs_of_digits(number)) {
        parts.push_back(run.digits);
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

std::vector<Time> times_of(std::string_view number, HalfOfDay half, const std::vector<Time>& behind) {
    std::vector<Time> times;
    for (const auto& [digits, between] : runs_of_digits(number)) {
        if (!times.empty() && (between == ":" || between == ".")) {
            times.back().rest += digits;
        } else if (digits.size() > 2 || between == ",") {
            return {};
        } else {
            times.push_back({std::stoi(digits), "", HalfOfDay::none});
        }
    }
    const Time* next = behind.empty() ? nullptr : &behind.front();
    for (auto time = times.rbegin(); time != times.rend(); ++time) {
        while (ends_with(time->rest, "00")) {
            time->rest.resize(time->rest.size() - 2);
        }
        time->half = half == HalfOfDay::none && next != nullptr ? half_before(*time, *next) : half;
        half = HalfOfDay::none;
        next = &*time;
    }
    return times;
}

bool is_same_time(const Time& one, const Time& other) {
    if (one.half == HalfOfDay::none) {
        return other.half != HalfOfDay::none && is_same_time(other, one);
    }
    const bool is_by_twelve = one.hour >= 1 && one.hour <= half_a_day;
    if (!is_by_twelve || other.hour > 2 * half_a_day || (one.hour - other.hour) % half_a_day != 0 ||
        one.rest != other.rest) {
        return false;
    }
    const bool after_noon = other.hour % (2 * half_a_day) >= half_a_day;
    const HalfOfDay half = after_noon ? HalfOfDay::after_noon : HalfOfDay::before_noon;
    const HalfOfDay others = other.half == HalfOfDay::none ? half : other.half;
    return one.half == others || one.half == HalfOfDay::either || others == HalfOfDay::either;
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

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

struct Time {
    std::string hour;
    std::string minutes = "00";
};

// 3:30 and 17:00 of "3:30-17", as digits.
std::vector<Time> times_of(std::string_view number) {
    std::vector<Time> times;
    for (const auto& [digits, between] : runs_of_digits(number)) {
        if (!times.empty() && (between == ":" || between == ".")) {
            times.back().minutes = digits;
        } else {
            times.push_back({digits});
        }
    }
    return times;
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

bool is_same_time(std::string_view by_twelve, HalfOfDay half, std::string_view by_twenty_four) {
    const std::vector<Time> times = times_of(by_twelve);
    const std::vector<Time> others = times_of(by_twenty_four);
    if (half == HalfOfDay::none || times.size() != others.size()) {
        return false;
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (times[i].hour.size() > 2 || others[i].hour.size() > 2 || times[i].minutes != others[i].minutes) {
            return false;
        }
        constexpr int hours = 12;  // of half a day
        const int hour = std::stoi(times[i].hour);
        const int other = std::stoi(others[i].hour) % (2 * hours);
        const bool is_half = other / hours == (half == HalfOfDay::after_noon ? 1 : 0);
        const bool may_be_other_half = i + 1 < times.size();  // as in 11-1 pm
        if (hour < 1 || hour > hours || hour % hours != other % hours || !(is_half || may_be_other_half)) {
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

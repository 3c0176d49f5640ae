#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace softalign {

// The digits of numbers, and what tells that two are one number in different forms.

// The runs of digits of a number, as ASCII: 2024, 01 and 05 of "2024-01-05".
std::vector<std::string> parts_of(std::string_view number);

// The digits of a number, as ASCII, one behind the other.
std::string digits_of(std::string_view number);

// Digits without the zeros in front; one is left.
std::string without_zeros(std::string_view digits);

// REQUIRES: `number` is not empty.
bool has_sign(std::string_view number);

// Whether the parts of a number are numbers themselves, as those of ranges, times and dates are; those of fractions and
// of digits in groups are not. "31.12" is a date where a full stop is behind it.
bool is_compound(std::string_view number, std::string_view word);

// Whether a number is another one without its thousands, or without its first zero: 1.5 of "1.500.000", .5 of "0,5".
bool is_without_zeros(std::string_view number, std::string_view other);

// am or pm, by the clock of twelve hours; `either`: of the first time of "11-1 pm", which noon may be behind.
enum class HalfOfDay { none, before_noon, after_noon, either };

struct Time {
    int hour = 0;      // 0 to 99
    std::string rest;  // digits of the minutes and what is behind them, without pairs of zeros at the end
    HalfOfDay half = HalfOfDay::none;
};

// The times that a number may be: 3:30 and 17 of "3:30-17", none of 2024 and of 1,5. The last one has the half of the
// day that is behind the number, each other one that of the time behind it. Where there is none, the number may be the
// beginning of a range that goes on with `behind`, as 3 is in "3 to 5 pm".
std::vector<Time> times_of(std::string_view number, HalfOfDay half, const std::vector<Time>& behind);

// Whether a time by the clock of twelve hours is another one, by either clock: 3 pm and 15:00, 12 am and 0 or 24.
bool is_same_time(const Time& one, const Time& other);

// Empties the parts of a number that stand for those taken, with or without zeros in front. False, and all stay, if one
// of those has none.
bool take_parts(std::vector<std::string>& parts, const std::vector<std::string>& taken);

}  // namespace softalign

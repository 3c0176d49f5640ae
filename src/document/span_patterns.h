#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace softalign {

// The regular expressions of ICU that spans and numbers are found with. All need linear time.

// Of what is commonly kept, in the order in which they count; that of URLs stands at `url_span_pattern`.
constexpr std::size_t url_span_pattern = 0;
std::vector<std::string> common_span_patterns();

// The escapes of strings in source code, \\n, \\r and \\t, but not what looks like them in paths, as in "C:\\new".
std::string escape_pattern();

// A number, but for what may be behind it: digits, also in groups and with a fraction, that are no part of a word in
// front. A sign belongs to it where nothing but an opener touches that, as in "-5 degrees". A range and a fraction end
// before a number in groups, such as "1 000" of "500–1 000".
std::string number_pattern();

// Whether a number has its digits in groups with spaces or apostrophes between them, as 10 000 and 25'500.
bool has_groups(std::string_view number);

// What may touch the sign of a number or an amount in front, in a set of ICU; and quotes, unless a letter or digit in
// front of them says that they close.
constexpr std::string_view sign_openers = R"(\p{White_Space}(\[\{=>|\:)";
constexpr std::string_view sign_quotes = R"("'“„«‹‘`*)";

}  // namespace softalign

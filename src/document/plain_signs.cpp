#include "document/plain_signs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace softalign {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 20> signs{{
    {"\u2018", "'"},   {"\u2019", "'"},  {"\u201A", "'"},  {"\u02BC", "'"},  {"\u2032", "'"},
    {"\u201C", "\""},  {"\u201D", "\""}, {"\u201E", "\""}, {"\u00AB", "\""}, {"\u00BB", "\""},
    {"\u2010", "-"},   {"\u2011", "-"},  {"\u2013", "-"},  {"\u2014", "-"},  {"\u2212", "-"},
    {"\u2026", "..."}, {"\u00AD", ""},   {"\u2060", ""},   {"\u200C", ""},   {"\u200D", ""},
}};

}  // namespace

std::string with_plain_signs(std::string_view text, const std::function<bool(std::string_view sign)>& replaces) {
    std::string plain(text);
    for (const auto& [sign, ascii] : signs) {
        if (text.find(sign) != std::string_view::npos && replaces(sign)) {
            for (std::size_t at = 0; (at = plain.find(sign, at)) != std::string::npos; at += ascii.size()) {
                const bool is_word = (at == 0 || plain[at - 1] == ' ') &&
                                     (at + sign.size() == plain.size() || plain[at + sign.size()] == ' ');
                if (ascii.empty() && is_word) {
                    at += sign.size();
                } else {
                    plain.replace(at, sign.size(), ascii);
                }
            }
        }
    }
    return plain;
}

bool is_joiner(std::string_view character) {
    return std::any_of(signs.begin(), signs.end(),
                       [&](const auto& sign) { return sign.second.empty() && sign.first == character; });
}

}  // namespace softalign

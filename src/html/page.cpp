#include "html/page.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "html/text.h"

namespace softalign {

namespace {

std::uint32_t digit_value(char c) {
    return static_cast<std::uint32_t>(c >= 'a' ? c - 'a' + 10 : c - '0');
}

}  // namespace

// Base64 takes six bits a character, a hexadecimal digit has four: three digits are two characters.
std::string policy_hash(std::string_view hexadecimal) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string base64;
    for (std::size_t i = 0; i < hexadecimal.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t j = i; j < i + 3; ++j) {
            bits = (bits << 4) | (j < hexadecimal.size() ? digit_value(hexadecimal[j]) : 0);
        }
        base64 += alphabet[bits >> 6];
        base64 += alphabet[bits & 63];
    }
    // Of 64 digits the last character would hold padding alone; signs fill up the last group of four instead.
    base64.resize((hexadecimal.size() * 4 + 5) / 6);
    base64.append((4 - base64.size() % 4) % 4, '=');
    return "sha256-" + base64;
}

std::string html_page(std::string_view title, const std::string& body) {
    std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    page +=
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action "
        "'none'; style-src '" +
        policy_hash(report_css_sha256()) + "'; script-src '" + policy_hash(report_js_sha256()) + "'\">\n";
    page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    page += "<meta name=\"color-scheme\" content=\"light dark\">\n";
    page += "<title>" + html_text(title) + "</title>\n<style>";
    page += report_css();
    page += "</style>\n</head>\n<body>\n" + body + "<script>";
    page += report_js();
    return page + "</script>\n</body>\n</html>\n";
}

}  // namespace softalign

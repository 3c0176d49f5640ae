#include "serve/origin.h"

#include <cstddef>
#include <string>

#include "base/strings.h"

namespace softalign {

namespace {

const std::string letters_and_digits = "abcdefghijklmnopqrstuvwxyz0123456789";

// What follows "://"; empty where there is nothing.
std::string host_of(const std::string& origin) {
    const std::size_t colon = origin.find("://");
    return colon == std::string::npos ? "" : origin.substr(colon + 3);
}

}  // namespace

bool is_origin(const std::string& text) {
    const std::string host = host_of(text);
    const std::string scheme = text.substr(0, text.find("://"));
    return !host.empty() && !scheme.empty() &&
           scheme.find_first_not_of(letters_and_digits + "+-.") == std::string::npos &&
           host.find_first_not_of(letters_and_digits + "-._:[]") == std::string::npos;
}

bool is_from_elsewhere(const HttpRequest& request) {
    const std::string origin = request.header("origin");
    if (origin.empty()) {
        return false;
    }
    // Says it also where a proxy has changed Host. Browsers send it to https and to this machine only.
    const std::string site = request.header("sec-fetch-site");
    return site.empty() ? host_of(origin) != lower_ascii(request.header("host")) : site != "same-origin";
}

}  // namespace softalign

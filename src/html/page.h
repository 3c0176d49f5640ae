#pragma once

#include <string>
#include <string_view>

namespace softalign {

// An HTML document with `body` (HTML) and the embedded style sheet and script of assets/. Its content security policy
// allows only these two, by their hashes: no other script and no request, whatever else the page contains.
std::string html_page(std::string_view title, const std::string& body);

// The "sha256-..." source of a policy, from the digest in hexadecimal.
std::string policy_hash(std::string_view hexadecimal);

}  // namespace softalign

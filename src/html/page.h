#pragma once

#include <string>
#include <string_view>

namespace softalign {

// A document around `body` (HTML) with the style sheet and the script of assets/ inside. Its content security policy
// allows these two by their hashes and nothing else: no other script, no request, whatever else the page holds.
std::string html_page(std::string_view title, const std::string& body);

// "sha256-..." of a policy from the digest in hexadecimal.
std::string policy_hash(std::string_view hexadecimal);

}  // namespace softalign

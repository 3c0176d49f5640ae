#pragma once

#include <string_view>

namespace softalign {

// The files of assets/, embedded in the program at build time.
std::string_view report_css();
std::string_view report_js();

// Their SHA-256 in hexadecimal.
std::string_view report_css_sha256();
std::string_view report_js_sha256();

}  // namespace softalign

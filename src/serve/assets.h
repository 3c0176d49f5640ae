#pragma once

#include <string_view>

namespace softalign {

// The page of the server and its parts, from assets/.
std::string_view serve_page_html();
std::string_view serve_page_css();
std::string_view serve_page_js();
std::string_view serve_openapi();

}  // namespace softalign

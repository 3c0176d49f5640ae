#pragma once

#include <string>

#include "serve/http_server.h"

namespace softalign {

// Whether it is an origin as browsers write it: "https://example.org", "http://localhost:8080".
bool is_origin(const std::string& text);

// Whether a page of another server may have sent it. Browsers say so; programs say nothing, and are not meant.
bool is_from_elsewhere(const HttpRequest& request);

}  // namespace softalign

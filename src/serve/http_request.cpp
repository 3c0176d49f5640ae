#include "serve/http_server.h"

#include <string>

namespace softalign {

std::string HttpRequest::header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
}

}  // namespace softalign

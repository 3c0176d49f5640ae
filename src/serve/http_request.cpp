#include <string>

#include "base/strings.h"
#include "serve/http_server.h"

namespace softalign {

std::string HttpRequest::header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
}

// RFC 9112, 6.3: what servers read differently lets a request hide in the body of another.
std::string HttpRequest::framing_fault() const {
    const bool has_length = headers.count("content-length") > 0;
    const bool has_coding = headers.count("transfer-encoding") > 0;
    const std::string length = header("content-length");
    if (has_length && has_coding) {
        return "the request has both Content-Length and Transfer-Encoding";
    }
    if (has_length && !is_digits(length)) {
        return "Content-Length must be one whole number";
    }
    if (has_coding && lower_ascii(header("transfer-encoding")) != "chunked") {
        return "Transfer-Encoding must be chunked";
    }
    return "";
}

}  // namespace softalign

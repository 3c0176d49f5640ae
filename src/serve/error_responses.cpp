#include "serve/error_responses.h"

#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json_object_text.h"
#include "platform/memory.h"

namespace softalign {

HttpResponse error_response(int status, const std::string& message) {
    JsonObjectText json;
    json.add("error", nlohmann::ordered_json(message));
    return {status, "application/json", json.text()};
}

HttpResponse try_again(const std::string& message) {
    HttpResponse response = error_response(503, message);
    response.headers.emplace_back("Retry-After", "1");
    return response;
}

HttpResponse server_fault(const std::exception& error) {
    return is_out_of_memory(error) ? error_response(503, "the server is short of memory")
                                   : error_response(500, "an internal error; the server's log has the reason");
}

}  // namespace softalign

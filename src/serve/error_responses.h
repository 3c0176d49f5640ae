#pragma once

#include <exception>
#include <string>

#include "serve/http_server.h"

namespace softalign {

// The message as JSON: {"error": "..."}.
HttpResponse error_response(int status, const std::string& message);

// 503, for what the client may ask for again after a second.
HttpResponse try_again(const std::string& message);

// Of an error that the request did not cause, whose message is for the server's log alone: 503 where the server has
// run out of memory, 500 elsewhere.
HttpResponse server_fault(const std::exception& error);

}  // namespace softalign

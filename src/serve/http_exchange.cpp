#include "serve/http_exchange.h"

#include <microhttpd.h>
#include <sys/socket.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/strings.h"
#include "serve/listening_socket.h"

namespace softalign {

namespace {

MhdResult add_header(void* headers, MHD_ValueKind /*kind*/, const char* name, const char* value) {
    std::string& text = (*static_cast<std::map<std::string, std::string>*>(headers))[lower_ascii(name)];
    text += (text.empty() ? "" : ", ") + std::string(value == nullptr ? "" : value);
    return MHD_YES;
}

// Of a request's target, which may be absolute (RFC 9112, section 3.2.2).
std::string path_of(const std::string& target) {
    for (const std::string scheme : {"http://", "https://"}) {
        if (lower_ascii(target.substr(0, scheme.size())) == scheme) {
            const std::size_t path = target.find('/', scheme.size());
            return path == std::string::npos ? "/" : target.substr(path);
        }
    }
    return target;
}

}  // namespace

MHD_socket socket_of(MHD_Connection* connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

MhdResult queue_response(MHD_Connection* connection, const HttpResponse& response, bool last) {
    // It copies the body, and does not change it whatever the type of the parameter.
    MHD_Response* const made = MHD_create_response_from_buffer(
        response.body.size(), const_cast<char*>(response.body.data()), MHD_RESPMEM_MUST_COPY);
    if (made == nullptr) {
        return MHD_NO;
    }
    MHD_add_response_header(made, MHD_HTTP_HEADER_CONTENT_TYPE, response.type.c_str());
    for (const auto& [name, value] : response.headers) {
        MHD_add_response_header(made, name.c_str(), value.c_str());
    }
    if (last) {
        MHD_add_response_header(made, MHD_HTTP_HEADER_CONNECTION, "close");
    }
    const MhdResult queued = MHD_queue_response(connection, static_cast<unsigned>(response.status), made);
    MHD_destroy_response(made);
    return queued;
}

void send_at_once(MHD_Connection* connection, const HttpResponse& response) {
    std::string text = "HTTP/1.1 " + std::to_string(response.status) + " " +
                       MHD_get_reason_phrase_for(static_cast<unsigned>(response.status)) +
                       "\r\nConnection: close\r\nContent-Type: " + response.type +
                       "\r\nContent-Length: " + std::to_string(response.body.size()) + "\r\n";
    for (const auto& [name, value] : response.headers) {
        text.append(name).append(": ").append(value).append("\r\n");
    }
    text += "\r\n" + response.body;
    const MHD_socket socket = socket_of(connection);
    ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::shutdown(socket, SHUT_WR);
}

HttpExchange::HttpExchange(MHD_Connection* connection, const char* method, const char* path) : connection_(connection) {
    request.method = method;
    request.path = path_of(path);
    MHD_get_connection_values(connection, MHD_HEADER_KIND, &add_header, &request.headers);
    const MHD_ConnectionInfo* const info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    request.client = info == nullptr ? "" : peer_name(info->client_addr);
}

void HttpExchange::answer(HttpResponse response) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (response_ || connection_ == nullptr) {
        return;
    }
    response_ = std::move(response);
    if (suspended_) {
        suspended_ = false;
        MHD_resume_connection(connection_);
    }
}

MhdResult HttpExchange::queue_or_wait(std::size_t& bytes, bool last) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (response_) {
        bytes += response_->body.size();
        const MhdResult queued = queue_response(connection_, *response_, last);
        response_->body = {};
        return queued;
    }
    suspended_ = true;
    MHD_suspend_connection(connection_);
    return MHD_YES;
}

void HttpExchange::end() {
    const std::lock_guard<std::mutex> lock(mutex_);
    connection_ = nullptr;
}

}  // namespace softalign

#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace softalign {

// A connection to a server on loopback. `address`: 127.0.0.1:PORT.
class HttpConnection {
public:
    explicit HttpConnection(const std::string& address) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        place.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
        is_open_ = ::connect(descriptor_, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0;
    }
    ~HttpConnection() { ::close(descriptor_); }
    HttpConnection(const HttpConnection&) = delete;
    HttpConnection& operator=(const HttpConnection&) = delete;

    // Whether the server has not closed it.
    bool send(const std::string& bytes) const {
        for (std::size_t sent = 0; is_open_ && sent < bytes.size();) {
            const auto more = ::send(descriptor_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            if (more <= 0) {
                return false;
            }
            sent += static_cast<std::size_t>(more);
        }
        return is_open_;
    }

    // What the server sends until this is among it, or until it closes the connection.
    std::string receive(const std::string& end = "\xff") const {
        std::string answer;
        std::array<char, 4096> buffer{};
        for (ssize_t read = 0; is_open_ && answer.find(end) == std::string::npos &&
                               (read = ::recv(descriptor_, buffer.data(), buffer.size(), 0)) > 0;) {
            answer.append(buffer.data(), static_cast<std::size_t>(read));
        }
        return answer;
    }

private:
    const int descriptor_;
    bool is_open_ = false;
};

// What a server sends back for these bytes, until it closes the connection.
inline std::string answer_to(const std::string& address, const std::string& bytes) {
    const HttpConnection connection(address);
    connection.send(bytes);
    return connection.receive();
}

struct HttpAnswer {
    int status = 0;  // 0: none
    std::string head;
    std::string body;
};

inline HttpAnswer http(const std::string& address, const std::string& method, const std::string& path,
                       const std::string& body = "", const std::string& headers = "") {
    const std::string answer = answer_to(
        address, method + " " + path + " HTTP/1.1\r\nHost: test\r\nConnection: close\r\n" + headers +
                     (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" + body);
    const std::size_t end = answer.find("\r\n\r\n");
    if (end == std::string::npos) {
        return {};
    }
    return {std::atoi(answer.c_str() + answer.find(' ')), answer.substr(0, end), answer.substr(end + 4)};
}

}  // namespace softalign

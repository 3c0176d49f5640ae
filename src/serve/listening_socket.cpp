#include "serve/listening_socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"

namespace softalign {

namespace {

constexpr int backlog = 1024;

Error fault(const std::string& address, const std::string& what, ExitCode code = ExitCode::usage) {
    return {code, "--listen " + address + ": " + what};
}

struct HostPort {
    std::string host;
    std::string port;
};

HostPort parts_of(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    const std::string expected = "HOST:PORT is expected, such as 127.0.0.1:5000, [::1]:5000 or 0.0.0.0:5000";
    if (colon == std::string::npos || colon == 0 || !is_digits(std::string_view(address).substr(colon + 1)) ||
        address.size() - colon > 6 || std::stoi(address.substr(colon + 1)) > 65535) {
        throw fault(address, expected);
    }
    std::string host = address.substr(0, colon);
    const bool bracketed = host.front() == '[' && host.back() == ']' && host.size() > 2;
    if (bracketed) {
        host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string::npos) {
        throw fault(address, expected);
    }
    return {host, address.substr(colon + 1)};
}

std::string text_of(const sockaddr* address, bool with_port) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address->sa_family == AF_INET) {
        const auto* ip = reinterpret_cast<const sockaddr_in*>(address);
        inet_ntop(AF_INET, &ip->sin_addr, text.data(), text.size());
        return text.data() + (with_port ? ":" + std::to_string(ntohs(ip->sin_port)) : std::string());
    }
    if (address->sa_family == AF_INET6) {
        const auto* ip = reinterpret_cast<const sockaddr_in6*>(address);
        inet_ntop(AF_INET6, &ip->sin6_addr, text.data(), text.size());
        return with_port ? "[" + std::string(text.data()) + "]:" + std::to_string(ntohs(ip->sin6_port)) : text.data();
    }
    return "";
}

}  // namespace

void require_address(const std::string& address) {
    parts_of(address);
}

ListeningSocket listen_on(const std::string& address) {
    const HostPort wanted = parts_of(address);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (const int status = ::getaddrinfo(wanted.host.c_str(), wanted.port.c_str(), &hints, &found); status != 0) {
        throw fault(address, "the host is unknown (" + std::string(::gai_strerror(status)) + ")");
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> first(found, ::freeaddrinfo);
    const int descriptor = ::socket(first->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    if (descriptor < 0 || ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        ::bind(descriptor, first->ai_addr, first->ai_addrlen) != 0 || ::listen(descriptor, backlog) != 0) {
        const int reason = errno;
        if (descriptor >= 0) {
            ::close(descriptor);
        }
        switch (reason) {
            case EADDRINUSE:
                throw fault(address, "another program listens there; choose another port", ExitCode::processes);
            case EADDRNOTAVAIL:
                throw fault(address, "that is not an address of this machine; 0.0.0.0 stands for all that it has",
                            ExitCode::processes);
            case EACCES:
                throw fault(address, "ports below 1024 need privileges; choose another port");
            default:
                throw fault(address, std::strerror(reason));
        }
    }
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    auto* bound_address = reinterpret_cast<sockaddr*>(&bound);
    ::getsockname(descriptor, bound_address, &size);
    return {descriptor, text_of(bound_address, true), first->ai_family == AF_INET6};
}

std::string peer_name(const void* socket_address) {
    return socket_address == nullptr ? "" : text_of(static_cast<const sockaddr*>(socket_address), false);
}

}  // namespace softalign

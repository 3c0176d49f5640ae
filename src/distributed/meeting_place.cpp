#include "distributed/meeting_place.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/strings.h"

namespace softalign {

namespace {

struct Addresses {
    explicit Addresses(const TcpPlace& place) {
        addrinfo hints{};
        hints.ai_socktype = SOCK_DGRAM;
        const int fault = ::getaddrinfo(place.host.c_str(), place.port.c_str(), &hints, &first);
        if (fault != 0) {
            throw Error(ExitCode::processes, "the host " + place.host +
                                                 ", where the processes meet, is unknown here (" +
                                                 ::gai_strerror(fault) +
                                                 "); set MASTER_ADDR or runtime.distributed.rendezvous to an address "
                                                 "that every machine can reach");
        }
    }
    ~Addresses() { ::freeaddrinfo(first); }
    Addresses(const Addresses&) = delete;
    Addresses& operator=(const Addresses&) = delete;

    // Whether a socket can have one of them.
    bool any_is_here() const {
        for (const addrinfo* entry = first; entry != nullptr; entry = entry->ai_next) {
            const int descriptor = ::socket(entry->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
            const bool is_elsewhere =
                descriptor >= 0 && ::bind(descriptor, entry->ai_addr, entry->ai_addrlen) != 0 && errno == EADDRNOTAVAIL;
            if (descriptor >= 0) {
                ::close(descriptor);
            }
            if (!is_elsewhere) {
                return true;
            }
        }
        return false;
    }

    addrinfo* first = nullptr;
};

bool is_loopback(const sockaddr_storage& address) {
    if (address.ss_family == AF_INET) {
        return ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24U == 127;
    }
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr) != 0;
}

// The address of this machine from which it reaches the place, if it does. Connecting a datagram socket sends nothing;
// it only asks the system for the route.
std::optional<std::string> address_towards(const TcpPlace& place, bool elsewhere) {
    const Addresses addresses(place);
    for (const addrinfo* entry = addresses.first; entry != nullptr; entry = entry->ai_next) {
        const int descriptor = ::socket(entry->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        sockaddr_storage own{};
        socklen_t size = sizeof own;
        const bool found = descriptor >= 0 && ::connect(descriptor, entry->ai_addr, entry->ai_addrlen) == 0 &&
                           ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &size) == 0;
        if (descriptor >= 0) {
            ::close(descriptor);
        }
        char text[NI_MAXHOST];
        if (found && !(elsewhere && is_loopback(own)) &&
            ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) ==
                0) {
            return text;
        }
    }
    return std::nullopt;
}

}  // namespace

TcpPlace tcp_place(const std::string& text) {
    const std::string rest = text.substr(std::strlen("tcp://"));
    const std::size_t colon = rest.rfind(':');
    TcpPlace place;
    if (colon != std::string::npos) {
        place.host = rest.substr(0, colon);
        place.port = rest.substr(colon + 1);
    }
    if (place.host.size() > 2 && place.host.front() == '[' && place.host.back() == ']') {
        place.host = place.host.substr(1, place.host.size() - 2);
    }
    const bool is_number = place.port.size() <= 5 && is_digits(place.port);
    if (place.host.empty() || !is_number || std::stoi(place.port) < 1 || std::stoi(place.port) > 65535) {
        throw Error(ExitCode::configuration,
                    text +
                        " is not a place where processes can meet: tcp://HOST:PORT with a port "
                        "from 1 to 65535, or file:///PATH");
    }
    return place;
}

std::string doubt_about(const TcpPlace& place, bool serves) {
    try {
        const Addresses addresses(place);
        return !serves || addresses.any_is_here()
                   ? ""
                   : place.host + ", where rank 0 is to listen, is not an address of this machine";
    } catch (const Error& error) {
        return error.what();
    }
}

std::string own_address(const TcpPlace& place, bool elsewhere) {
    // The last two: the way to addresses that nobody has (RFC 5737 and 3849) is the default route.
    for (const TcpPlace& towards : {place, TcpPlace{"192.0.2.1", "9"}, TcpPlace{"2001:db8::1", "9"}}) {
        if (const std::optional<std::string> address = address_towards(towards, elsewhere)) {
            return *address;
        }
        if (!elsewhere) {
            break;
        }
    }
    if (place.host == "127.0.0.1" && !elsewhere) {
        throw Error(
            ExitCode::processes,
            "the loopback interface, over which the processes of this machine talk, is down; bring it up: ip link "
            "set lo up");
    }
    throw Error(ExitCode::processes,
                elsewhere ? "this machine has no address by which the other machines could reach it; name the network "
                            "interface with runtime.distributed.interface"
                          : place.host +
                                ", where the processes meet, cannot be reached from here; name the network interface "
                                "with runtime.distributed.interface");
}

void require_free_port(const TcpPlace& place) {
    const int descriptor = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) {
        return;  // c10d will say what is wrong
    }
    const int on = 1;
    const int off = 0;
    ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    ::setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_port = htons(static_cast<std::uint16_t>(std::stoi(place.port)));
    const bool taken =
        ::bind(descriptor, reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0 && errno == EADDRINUSE;
    ::close(descriptor);
    if (taken) {
        throw Error(ExitCode::processes, "port " + place.port +
                                             ", where the processes are to meet, is in use on this machine; is another "
                                             "run there? Choose another one with MASTER_PORT or "
                                             "runtime.distributed.rendezvous");
    }
}

void require_meeting_file(const std::string& path) {
    const auto refuse = [&path](const std::string& why) {
        throw Error(ExitCode::processes, path + ": the processes cannot meet there: " + why +
                                             "; choose a file that does not exist yet, in a folder that all of them "
                                             "can write to");
    };
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0644);
    if (descriptor < 0) {
        refuse(errno_text(errno));
    }
    struct stat status {};
    std::uint32_t first = 0;  // the length of the first name in a file of c10d
    const bool is_locked = ::flock(descriptor, LOCK_SH) == 0;
    const bool is_known = is_locked && ::fstat(descriptor, &status) == 0;
    const ssize_t read = is_known && status.st_size > 0 ? ::pread(descriptor, &first, sizeof first, 0) : 0;
    ::close(descriptor);  // and unlocks it
    constexpr std::uint32_t longest_name = 4096;
    if (!is_known || !S_ISREG(status.st_mode)) {
        refuse("this is not a regular file");
    }
    if (status.st_size > 0 && (read != sizeof first || first == 0 || first > longest_name)) {
        refuse("the file has other content");
    }
}

}  // namespace softalign

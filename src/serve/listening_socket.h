#pragma once

#include <string>

namespace softalign {

// A TCP socket that listens.
struct ListeningSocket {
    int descriptor = -1;
    std::string address;  // "127.0.0.1:5000", "[::1]:5000"
    bool is_ipv6 = false;
};

// Opens one on HOST:PORT or [IPv6]:PORT; port 0: the system chooses. Throws Error(usage), saying what is wrong with the
// address: it is none, in use, not this machine's, or needs privileges.
ListeningSocket listen_on(const std::string& address);

// The address of a peer, without its port; empty for what is no internet address.
std::string peer_name(const void* socket_address);

}  // namespace softalign

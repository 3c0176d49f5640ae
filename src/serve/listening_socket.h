#pragma once

#include <string>

namespace softalign {

// A TCP socket that listens.
struct ListeningSocket {
    int descriptor = -1;
    std::string address;  // "127.0.0.1:5000", "[::1]:5000"
    bool is_ipv6 = false;
};

// Throws Error(usage) for what is not HOST:PORT or [IPv6]:PORT.
void require_address(const std::string& address);

// Opens one on HOST:PORT or [IPv6]:PORT; port 0: the system chooses. The errors say what is wrong with the address.
// Throws Error(processes) if it is in use or not this machine's; Error(usage) if it is not an address, the host is
// unknown, the port needs privileges, or the system refuses it for another reason.
ListeningSocket listen_on(const std::string& address);

// The address of a peer, without its port; empty for what is no internet address.
std::string peer_name(const void* socket_address);

}  // namespace softalign

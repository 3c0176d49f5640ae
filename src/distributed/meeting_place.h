#pragma once

#include <string>

namespace softalign {

struct TcpPlace {
    std::string host;
    std::string port;
};

// Reads "tcp://HOST:PORT" or "tcp://[IPV6]:PORT". Throws Error(configuration) for anything else.
TcpPlace tcp_place(const std::string& text);

// Why nobody may ever meet there: this machine does not know the host, or `serves`, and no address of the host is one
// of this machine. Empty: nothing speaks against it. Other machines may know better, since names can appear later and
// addresses can be translated on the way.
std::string doubt_about(const TcpPlace& place, bool serves);

// The address of this machine from which it reaches the place. `elsewhere`: other machines have to reach it. Where the
// place is this machine under a name that means loopback here, as Debian has it in /etc/hosts, that is the address of
// the default route. Throws Error(processes) where there is none.
std::string own_address(const TcpPlace& place, bool elsewhere);

// Throws Error(processes) where another program listens: c10d may wait for ever on a port that is in use.
void require_free_port(const TcpPlace& place);

// Throws Error(processes) for a file that c10d cannot use: it ends the process then, or waits for ever.
void require_meeting_file(const std::string& path);

}  // namespace softalign

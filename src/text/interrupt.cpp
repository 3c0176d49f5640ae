#include "text/interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace softalign {

Interrupt::Interrupt() {
    if (::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) {
        throw Error(ExitCode::internal, "no pipe could be made: " + errno_text(errno));
    }
}

Interrupt::~Interrupt() {
    ::close(ends_[0]);
    ::close(ends_[1]);
}

void Interrupt::raise() {
    // A byte that nobody takes out keeps the pipe readable; one that finds no room is not needed.
    const char byte = 0;
    while (::write(ends_[1], &byte, 1) < 0 && errno == EINTR) {
    }
}

bool Interrupt::wait_readable(int descriptor) const {
    struct pollfd waiting[2] = {{ends_[0], POLLIN, 0}, {descriptor, POLLIN, 0}};
    while (::poll(waiting, 2, -1) < 0 && errno == EINTR) {
    }
    // Where poll itself fails, the read tells what is wrong with the descriptor.
    return waiting[0].revents == 0;
}

}  // namespace softalign

#pragma once

namespace softalign {

// Lets one thread stop another that is waiting to read from a pipe or a terminal. Once raised, it stays raised.
class Interrupt {
public:
    // Throws Error(internal) if the system has no file descriptor left.
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // May be called from any thread, any number of times.
    void raise();

    // Waits until `descriptor` can be read without blocking (true) or until this has been raised (false).
    bool wait_readable(int descriptor) const;

private:
    int ends_[2];  // a pipe: read end, write end
};

}  // namespace softalign

#pragma once

namespace softalign {

// Lets one thread end the reading of another one that waits for a pipe or a terminal. It stays raised.
class Interrupt {
public:
    // Throws Error(internal) where the system has no descriptor left.
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // From any thread, any number of times.
    void raise();

    // Waits until a read of `descriptor` would not wait: true; or until this is raised, before or meanwhile: false.
    bool wait_readable(int descriptor) const;

private:
    int ends_[2];  // a pipe: to read from, to write to
};

}  // namespace softalign

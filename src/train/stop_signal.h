#pragma once

namespace softalign {

// While it lives, SIGINT and SIGTERM request a stop; a second one ends the process as it would have before. One that is
// ignored stays ignored.
class StopSignal {
public:
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    // The number of the signal received, or 0.
    int received() const;

private:
    using Handler = void (*)(int);
    Handler interrupt_before_;  // restored at the end
    Handler termination_before_;
};

}  // namespace softalign

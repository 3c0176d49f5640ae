#pragma once

namespace softalign {

// From here to the end of its life, SIGINT and SIGTERM ask for a stop; a second one ends the process at once.
class StopSignal {
public:
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    // The number of the signal that came, or 0.
    int received() const;

private:
    using Handler = void (*)(int);
    Handler interrupt_before_;  // restored at the end
    Handler termination_before_;
};

}  // namespace softalign

#pragma once

namespace softalign {

// A thread that computes when the process ends uses what the destructors of LibTorch and of the C++ library destroy.
// These classes let the end of the process wait for it: where a program embeds softalign, its threads may be anywhere
// when main returns.

// While this lives, the thread computes, and end_computing() waits. After end_computing(), the constructor never
// returns: the process is about to end. May be nested.
class Computing {
public:
    Computing();
    ~Computing();
    Computing(const Computing&) = delete;
    Computing& operator=(const Computing&) = delete;

private:
    bool entered_;
};

// While this lives within a Computing, the thread does not compute: it waits for other threads. After end_computing(),
// the destructor never returns if it was computing before.
class ComputingPause {
public:
    ComputingPause();
    ~ComputingPause();
    ComputingPause(const ComputingPause&) = delete;
    ComputingPause& operator=(const ComputingPause&) = delete;

private:
    bool left_;
};

// Waits until no other thread computes, and lets none start again.
void end_computing();
bool computing_has_ended();

// The threads that LibTorch computes a single operator with, for operators called by this thread. at::set_num_threads
// would also be the default of every thread that LibTorch meets later, those of a program that this one is a part of
// included; here only where LibTorch was built with another pool than OpenMP's.
int operator_threads();
void set_operator_threads(int threads);

}  // namespace softalign

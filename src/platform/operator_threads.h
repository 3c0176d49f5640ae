#pragma once

namespace softalign {

// The threads that LibTorch computes a single operator with, for operators called by this thread. at::set_num_threads
// would also be the default of every thread that LibTorch meets later, those of a program that this one is a part of
// included; here only where LibTorch was built with another pool than OpenMP's.
int operator_threads();
void set_operator_threads(int threads);

}  // namespace softalign

#pragma once

namespace softalign {

// Room for so many threads to multiply matrices at the same time, for as long as it lives; the rooms of all that live
// add up. OpenBLAS takes a working buffer (128 MiB of addresses, of which little is touched) for every call under way
// and keeps it for later ones. Where the system refuses one, releases before 0.3.30 ask again for ever: the program
// hangs instead of failing (OpenBLAS issue 5289). So the buffers are there before they are needed. Up to 48 are, which
// the smallest build of OpenBLAS has places for; with another BLAS nothing is done.
class BlasBuffers {
public:
    // Throws std::bad_alloc where there are not as many addresses. REQUIRES: threads >= 0.
    explicit BlasBuffers(int threads);
    ~BlasBuffers();
    BlasBuffers(const BlasBuffers&) = delete;
    BlasBuffers& operator=(const BlasBuffers&) = delete;

private:
    int threads_;
};

}  // namespace softalign

#pragma once

namespace softalign {

// Reserves BLAS work buffers for this number of threads that multiply matrices at the same time, as long as it lives;
// the reservations of all live objects add up. OpenBLAS needs a work buffer (128 MiB of address space, mostly unused)
// for each concurrent call and keeps it for later calls. If the system refuses one, releases before 0.3.30 retry for
// ever: the program hangs instead of failing (OpenBLAS issue 5289). So the buffers are allocated in advance, up to 48:
// the smallest build of OpenBLAS has slots for as many. With another BLAS nothing is done.
class BlasBuffers {
public:
    // Throws std::bad_alloc if the address space does not suffice. REQUIRES: threads >= 0.
    explicit BlasBuffers(int threads);
    ~BlasBuffers();
    BlasBuffers(const BlasBuffers&) = delete;
    BlasBuffers& operator=(const BlasBuffers&) = delete;

private:
    int threads_;
};

}  // namespace softalign

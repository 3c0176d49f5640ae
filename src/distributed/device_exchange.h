#pragma once

#include <ATen/ATen.h>

#include <memory>

#include "distributed/c10d.h"

namespace softalign {

// What moves tensors from the GPU of one process to that of another.
class DeviceExchange {
public:
    virtual ~DeviceExchange() = default;

    // As Transport::exchange, of tensors on the device. Returns when they have arrived.
    virtual void exchange(int to, const at::Tensor& sent, int from, const at::Tensor& received) = 0;
};

// Whether the program was built with NCCL.
bool has_nccl();

#ifdef SOFTALIGN_HAS_C10D
struct DeviceMeeting {
    c10::intrusive_ptr<c10d::Store> store;
    int rank = 0;
    int size = 1;
    at::Device device;
    double timeout = 0.0;  // seconds
};

// All processes call it at the same time, each with a CUDA device of its own. Throws LinkFailure where they do not
// come together. REQUIRES: has_nccl().
std::unique_ptr<DeviceExchange> make_nccl_exchange(const DeviceMeeting& meeting);
#endif

}  // namespace softalign

#pragma once

#include <memory>

#include "distributed/transport.h"

namespace softalign {

// The same, but that large tensors go from one process to another of this machine by a single copy: the receiver reads
// them from the sender's memory (process_vm_readv, as MPI implementations do), instead of by the network's loopback,
// which copies them four times. Between processes that may not read each other's memory, in different containers for
// example, everything goes by `transport`. `timeout`: seconds that a process may take to say whether it can.
std::unique_ptr<Transport> read_directly(std::unique_ptr<Transport> transport, int rank, int size, double timeout);

}  // namespace softalign

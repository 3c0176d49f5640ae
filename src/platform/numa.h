#pragma once

#include <string>
#include <vector>

namespace softalign {

// Logical processors, by the numbers that the system gives them.
using Processors = std::vector<int>;

// Some of the processes, or of the threads, that have the same processors: which one this is, and how many there are.
struct Share {
    int index = 0;
    int count = 1;
};

// "0-3,8" = 0 1 2 3 8. Empty if the text is not understood.
Processors parse_processors(const std::string& list);

// The processors that this thread may use, a list for each NUMA node that has any of them. `folder` describes the nodes
// of the machine; where it does not, there is one list.
std::vector<Processors> processors_by_node(const std::string& folder = "/sys/devices/system/node");

// For each worker of this process the processors of the node on which it should stay: all processes of the machine
// together fill the nodes one after another, each with as many workers as its part of the processors, so that workers
// with neighbouring numbers share a node. Empty lists, which mean anywhere, where there is one node only, or fewer
// workers than processors: other programs may have the rest. REQUIRES: all processes of `process` have as many workers.
std::vector<Processors> worker_places(int workers, const Share& process, const std::vector<Processors>& nodes);

// Keeps the calling thread on these processors, and so the memory that it is the first to write to on their node. An
// empty list, and one that the system refuses, change nothing.
void stay_on(const Processors& processors);

}  // namespace softalign

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "distributed/transport.h"
#include "platform/numa.h"

namespace softalign {

// Who the processes of a run are: each says its host, its processors, and everything on which the bytes of a result
// depend besides what they compute from.
class Roster {
public:
    // `command`: what this process does ("train").
    Roster(int rank, int size, std::string command);

    // Tells the others who this process is, and waits until all have said so. `look_out` is called meanwhile, and may
    // throw. Throws Error: processes, naming the ranks that did not come within `timeout` seconds; LinkFailure.
    void meet(Transport& transport, double timeout, const std::function<void()>& look_out);

    // "rank 2 (hostb)"; without a host until that one has come.
    std::string name_of(int rank) const;

    // The processes, this one included, that may use exactly the processors that this one may use, in order of rank.
    // REQUIRES: all have met.
    Share share_of_processors() const;

    // Whether all are on one machine, and have its name. REQUIRES: all have met.
    bool is_one_machine() const;

    // Throws Error naming the rank: configuration, if one has another command than rank 0; processes, if it has another
    // program, LibTorch, BLAS or instruction set. REQUIRES: all have met.
    void require_one_version() const;

private:
    int rank_;
    int size_;
    std::string command_;
    std::vector<std::string> hosts_;   // by rank; empty: not come yet
    std::vector<std::string> hellos_;  // JSON
};

}  // namespace softalign

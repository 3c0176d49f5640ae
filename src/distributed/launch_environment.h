#pragma once

#include <string>

namespace softalign {

// Which process of how many this one is, as its launcher says.
struct LaunchEnvironment {
    int rank = 0;
    int size = 1;
    int local_rank = 0;
    int local_size = 1;      // processes of the run on this machine
    std::string launcher;    // what said so, for messages; empty: nobody, and this process is alone
    std::string rendezvous;  // "tcp://HOST:PORT" or "file:///PATH", where they meet; empty: unknown
    // Part of the names under which the processes find each other, so that another run at the same place is not met.
    std::string run;
    bool server_elsewhere = false;  // the launcher itself listens there (torchrun), not rank 0

    bool is_alone() const { return size == 1; }
};

// Reads the variables of the environment that torchrun and `softalign launch` (RANK, WORLD_SIZE, LOCAL_RANK,
// MASTER_ADDR, MASTER_PORT), Open MPI (OMPI_COMM_WORLD_*), MPICH and Intel MPI (PMI_*), and Slurm's srun (SLURM_*) set,
// in this order. Throws Error(usage) if they contradict each other.
LaunchEnvironment launch_environment();

// The first host of a Slurm node list: "node[03-05,9],big1" -> "node03".
std::string first_host(const std::string& node_list);

}  // namespace softalign

#include "distributed/launch_environment.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "base/strings.h"

namespace softalign {

namespace {

std::optional<std::string> variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

std::optional<int> count_in(const char* name) {
    const std::optional<std::string> text = variable(name);
    if (!text) {
        return std::nullopt;
    }
    if (text->size() > 6 || !is_digits(*text)) {
        throw Error(ExitCode::usage, std::string(name) + "=" + *text +
                                         " in the environment is not a whole number of up to six digits; start the "
                                         "processes with \"softalign launch\" or another launcher, or unset it");
    }
    return std::stoi(*text);
}

// The names of a launcher's variables.
struct Names {
    const char* launcher;
    const char* rank;
    const char* size;
    const char* local_rank;
    const char* local_size;
};

// MASTER_PORT, or a port that only this job has: its processes must agree on one without talking.
std::string port_of(std::uint64_t job) {
    constexpr std::uint64_t first = 20000;
    constexpr std::uint64_t ports = 10000;
    const std::optional<int> given = count_in("MASTER_PORT");
    return std::to_string(given ? static_cast<std::uint64_t>(*given) : first + job % ports);
}

std::string tcp(const std::string& host, const std::string& port) {
    const bool is_ipv6 = host.find(':') != std::string::npos;
    return "tcp://" + (is_ipv6 ? "[" + host + "]" : host) + ":" + port;
}

std::optional<LaunchEnvironment> numbers_from(const Names& names) {
    const std::optional<int> rank = count_in(names.rank);
    const std::optional<int> size = count_in(names.size);
    if (!rank && !size) {
        return std::nullopt;
    }
    if (!rank || !size || *size < 1 || *rank >= *size) {
        throw Error(ExitCode::usage,
                    std::string("the environment has ") +
                        (rank ? names.rank + ("=" + std::to_string(*rank)) : "no " + std::string(names.rank)) +
                        " and " +
                        (size ? names.size + ("=" + std::to_string(*size)) : "no " + std::string(names.size)) +
                        "; a rank from 0 and a larger number of processes are needed. Start the processes with "
                        "\"softalign launch\" or another launcher, or unset both");
    }
    LaunchEnvironment result;
    result.rank = *rank;
    result.size = *size;
    result.launcher = names.launcher;
    result.local_rank = count_in(names.local_rank).value_or(0);
    result.local_size = std::max(1, count_in(names.local_size).value_or(1));
    return result;
}

std::optional<LaunchEnvironment> from_torchrun() {
    auto result = numbers_from({"RANK and WORLD_SIZE", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"});
    if (!result) {
        return result;
    }
    const std::optional<std::string> place = variable("SOFTALIGN_RENDEZVOUS");
    const std::optional<std::string> host = variable("MASTER_ADDR");
    if (place) {
        result->rendezvous = *place;
    } else if (host && variable("MASTER_PORT")) {
        result->rendezvous = tcp(*host, port_of(0));
    }
    result->run = variable("TORCHELASTIC_RUN_ID").value_or("");
    if (const auto attempt = variable("TORCHELASTIC_RESTART_COUNT")) {
        result->run += "/" + *attempt;
    }
    result->server_elsewhere = variable("TORCHELASTIC_USE_AGENT_STORE") == "True";
    return result;
}

// MPI's launchers say nothing of where rank 0 is, unless all are on one machine.
std::optional<LaunchEnvironment> from_mpi(const Names& names, const std::string& job) {
    auto result = numbers_from(names);
    if (!result) {
        return result;
    }
    const std::optional<std::string> host = variable("MASTER_ADDR");
    if (host || result->local_size == result->size) {
        result->rendezvous = tcp(host.value_or("127.0.0.1"), port_of(hash_text(job)));
    }
    return result;
}

std::optional<LaunchEnvironment> from_slurm() {
    // SLURM_NTASKS and SLURM_PROCID are there in a batch script as well, which runs once whatever they say.
    auto result = numbers_from({"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", ""});
    if (!result) {
        return result;
    }
    result->run = variable("SLURM_JOB_ID").value_or("") + "." + variable("SLURM_STEP_ID").value_or("");
    std::string host = variable("MASTER_ADDR").value_or("");
    if (host.empty()) {
        host = first_host(variable("SLURM_STEP_NODELIST").value_or(""));
    }
    if (!host.empty()) {
        result->rendezvous = tcp(host, port_of(hash_text(result->run)));
    }
    return result;
}

}  // namespace

std::string first_host(const std::string& node_list) {
    std::string host = node_list.substr(0, node_list.find_first_of(",["));
    const std::size_t bracket = host.size();
    if (bracket < node_list.size() && node_list[bracket] == '[') {
        const std::size_t end = node_list.find_first_of(",-]", bracket);
        host += node_list.substr(bracket + 1, end == std::string::npos ? end : end - bracket - 1);
        const std::size_t close = node_list.find(']', bracket);
        if (close != std::string::npos) {  // what follows belongs to every name of the list
            const std::size_t tail = node_list.find_first_of(",[", close);
            host += node_list.substr(close + 1, tail == std::string::npos ? tail : tail - close - 1);
        }
    }
    return host;
}

LaunchEnvironment launch_environment() {
    if (auto found = from_torchrun()) {
        return *found;
    }
    if (auto found = from_mpi({"mpirun (OMPI_COMM_WORLD_*)", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                               "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                              variable("PMIX_NAMESPACE").value_or(""))) {
        return *found;
    }
    // In a job of Slurm, mpiexec starts its own helpers by srun, whose variables its processes inherit.
    if (!variable("SLURM_STEP_NUM_TASKS") || variable("MPI_LOCALNRANKS")) {
        // MPICH gives its processes no name of the job; on one machine, one process starts all of them.
        if (auto found = from_mpi({"mpiexec (PMI_*)", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
                                  std::to_string(::getppid()))) {
            return *found;
        }
        return {};
    }
    return from_slurm().value_or(LaunchEnvironment());
}

}  // namespace softalign

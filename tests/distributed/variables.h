#pragma once

#include <stdlib.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softalign {

// While it lives, the environment has these variables and none of a launcher besides.
class Variables {
public:
    explicit Variables(const std::map<std::string, std::string>& values) {
        for (const char* name : {"RANK",
                                 "WORLD_SIZE",
                                 "LOCAL_RANK",
                                 "LOCAL_WORLD_SIZE",
                                 "MASTER_ADDR",
                                 "MASTER_PORT",
                                 "SOFTALIGN_RENDEZVOUS",
                                 "TORCHELASTIC_RUN_ID",
                                 "TORCHELASTIC_RESTART_COUNT",
                                 "TORCHELASTIC_USE_AGENT_STORE",
                                 "OMPI_COMM_WORLD_RANK",
                                 "OMPI_COMM_WORLD_SIZE",
                                 "OMPI_COMM_WORLD_LOCAL_RANK",
                                 "OMPI_COMM_WORLD_LOCAL_SIZE",
                                 "PMIX_NAMESPACE",
                                 "PMI_RANK",
                                 "PMI_SIZE",
                                 "PMI_FD",
                                 "MPI_LOCALRANKID",
                                 "MPI_LOCALNRANKS",
                                 "SLURM_PROCID",
                                 "SLURM_NTASKS",
                                 "SLURM_STEP_NUM_TASKS",
                                 "SLURM_LOCALID",
                                 "SLURM_STEP_TASKS_PER_NODE",
                                 "SLURM_STEP_NODELIST",
                                 "SLURM_JOB_ID",
                                 "SLURM_STEP_ID"}) {
            const char* before = std::getenv(name);
            before_.emplace_back(name, before == nullptr ? std::nullopt : std::optional<std::string>(before));
            ::unsetenv(name);
        }
        for (const auto& [name, value] : values) {
            ::setenv(name.c_str(), value.c_str(), 1);
        }
    }
    ~Variables() {
        for (const auto& [name, value] : before_) {
            if (value) {
                ::setenv(name.c_str(), value->c_str(), 1);
            } else {
                ::unsetenv(name.c_str());
            }
        }
    }
    Variables(const Variables&) = delete;
    Variables& operator=(const Variables&) = delete;

private:
    std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

}  // namespace softalign

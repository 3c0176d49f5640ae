#include "distributed/launch_environment.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "distributed/variables.h"

namespace softalign {
namespace {

TEST(LaunchEnvironment, WithoutALauncherAProcessIsAlone) {
    const Variables none({});
    const LaunchEnvironment place = launch_environment();
    EXPECT_TRUE(place.is_alone());
    EXPECT_EQ(place.rank, 0);
    EXPECT_EQ(place.launcher, "");
}

TEST(LaunchEnvironment, ReadsTorchrun) {
    const Variables variables({{"RANK", "5"},
                               {"WORLD_SIZE", "8"},
                               {"LOCAL_RANK", "1"},
                               {"LOCAL_WORLD_SIZE", "4"},
                               {"MASTER_ADDR", "hosta"},
                               {"MASTER_PORT", "29501"},
                               {"TORCHELASTIC_RUN_ID", "job7"},
                               {"TORCHELASTIC_RESTART_COUNT", "2"},
                               {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
    const LaunchEnvironment place = launch_environment();
    EXPECT_EQ(place.rank, 5);
    EXPECT_EQ(place.size, 8);
    EXPECT_EQ(place.local_rank, 1);
    EXPECT_EQ(place.local_size, 4);
    EXPECT_EQ(place.rendezvous, "tcp://hosta:29501");
    EXPECT_EQ(place.run, "job7/2");
    EXPECT_TRUE(place.server_elsewhere);
}

TEST(LaunchEnvironment, OfOpenMpiOnOneMachineTheProcessesMeetOnLoopback) {
    const Variables variables({{"OMPI_COMM_WORLD_RANK", "1"},
                               {"OMPI_COMM_WORLD_SIZE", "2"},
                               {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                               {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                               {"PMIX_NAMESPACE", "host-1234@1"}});
    const LaunchEnvironment place = launch_environment();
    EXPECT_EQ(place.rank, 1);
    EXPECT_EQ(place.rendezvous.rfind("tcp://127.0.0.1:2", 0), 0U) << place.rendezvous;
    EXPECT_FALSE(place.server_elsewhere);
}

TEST(LaunchEnvironment, OfOpenMpiOnSeveralMachinesThePlaceIsUnknownUnlessItIsSaid) {
    const std::map<std::string, std::string> values{
        {"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
    {
        const Variables variables(values);
        EXPECT_EQ(launch_environment().rendezvous, "");
    }
    std::map<std::string, std::string> said = values;
    said.insert({{"MASTER_ADDR", "10.0.0.1"}, {"MASTER_PORT", "4000"}});
    const Variables variables(said);
    EXPECT_EQ(launch_environment().rendezvous, "tcp://10.0.0.1:4000");
}

TEST(LaunchEnvironment, ReadsMpichAndItsKin) {
    const Variables variables(
        {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "3"}, {"MPI_LOCALNRANKS", "4"}});
    const LaunchEnvironment place = launch_environment();
    EXPECT_EQ(place.rank, 3);
    EXPECT_EQ(place.local_rank, 3);
    EXPECT_EQ(place.size, 4);
}

// PMI_FD is another number in every process.
TEST(LaunchEnvironment, AllProcessesOfMpichMeetAtOnePlace) {
    const auto place_of = [](const char* rank, const char* descriptor) {
        const Variables variables({{"PMI_RANK", rank},
                                   {"PMI_SIZE", "2"},
                                   {"MPI_LOCALRANKID", rank},
                                   {"MPI_LOCALNRANKS", "2"},
                                   {"PMI_FD", descriptor}});
        return launch_environment();
    };
    const LaunchEnvironment first = place_of("0", "6");
    const LaunchEnvironment second = place_of("1", "8");
    EXPECT_EQ(first.rendezvous.rfind("tcp://127.0.0.1:2", 0), 0U) << first.rendezvous;
    EXPECT_EQ(first.rendezvous, second.rendezvous);
    EXPECT_EQ(first.run, second.run);
}

TEST(LaunchEnvironment, ReadsSrun) {
    const Variables variables({{"SLURM_PROCID", "2"},
                               {"SLURM_STEP_NUM_TASKS", "4"},
                               {"SLURM_LOCALID", "0"},
                               {"SLURM_STEP_NODELIST", "node[07-08]"},
                               {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
                               {"SLURM_JOB_ID", "99"},
                               {"SLURM_STEP_ID", "0"}});
    const LaunchEnvironment place = launch_environment();
    EXPECT_EQ(place.rank, 2);
    EXPECT_EQ(place.size, 4);
    EXPECT_EQ(place.rendezvous.rfind("tcp://node07:2", 0), 0U) << place.rendezvous;
    EXPECT_EQ(place.run, "99.0");
}

// mpiexec starts its helpers by srun, and the processes have the variables of both.
TEST(LaunchEnvironment, ReadsMpiexecInAJobOfSlurm) {
    const Variables variables({{"SLURM_PROCID", "0"},
                               {"SLURM_STEP_NUM_TASKS", "1"},
                               {"PMI_RANK", "3"},
                               {"PMI_SIZE", "4"},
                               {"MPI_LOCALRANKID", "3"},
                               {"MPI_LOCALNRANKS", "4"}});
    const LaunchEnvironment place = launch_environment();
    EXPECT_EQ(place.rank, 3);
    EXPECT_EQ(place.size, 4);
}

// Slurm sets these in the batch script as well, which runs once.
TEST(LaunchEnvironment, ABatchScriptOfSlurmIsNoLauncher) {
    const Variables variables({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "99"}});
    EXPECT_TRUE(launch_environment().is_alone());
}

TEST(LaunchEnvironment, RefusesContradictions) {
    const std::vector<std::map<std::string, std::string>> wrong{
        {{"RANK", "1"}},
        {{"WORLD_SIZE", "2"}},
        {{"RANK", "2"}, {"WORLD_SIZE", "2"}},
        {{"RANK", "0"}, {"WORLD_SIZE", "0"}},
        {{"RANK", "-1"}, {"WORLD_SIZE", "2"}},
        {{"RANK", "one"}, {"WORLD_SIZE", "2"}},
    };
    for (const auto& values : wrong) {
        const Variables variables(values);
        try {
            launch_environment();
            ADD_FAILURE() << values.begin()->first << "=" << values.begin()->second;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            EXPECT_NE(std::string(error.what()).find(values.begin()->first), std::string::npos) << error.what();
        }
    }
}

TEST(FirstHost, IsTheFirstOfANodeList) {
    EXPECT_EQ(first_host("node1"), "node1");
    EXPECT_EQ(first_host("node1,node2"), "node1");
    EXPECT_EQ(first_host("node[03-05,9],big1"), "node03");
    EXPECT_EQ(first_host("rack2-[7,9]-eth"), "rack2-7-eth");
    EXPECT_EQ(first_host("a[1-2]-x,b"), "a1-x");
    EXPECT_EQ(first_host(""), "");
}

}  // namespace
}  // namespace softalign

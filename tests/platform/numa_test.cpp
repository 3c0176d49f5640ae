#include "platform/numa.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "platform/processor.h"
#include "platform/worker_pool.h"
#include "storage/temporary_directory.h"

namespace softalign {
namespace {

TEST(Numa, ListsOfProcessors) {
    EXPECT_EQ(parse_processors("0-3,8"), (Processors{0, 1, 2, 3, 8}));
    EXPECT_EQ(parse_processors("5"), (Processors{5}));
    for (const char* list : {"", "a", "1-", "1-b", "1,,2", "1+2"}) {
        EXPECT_EQ(parse_processors(list), Processors{}) << list;
    }
}

class NumaNodes : public InTemporaryDirectory {
protected:
    void write(const std::string& name, const std::string& line) const {
        const std::filesystem::path file = path(name);
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << line << "\n";
    }
};

TEST_F(NumaNodes, HoldTheProcessorsThatThisThreadMayUse) {
    const Processors allowed = allowed_processors();
    ASSERT_FALSE(allowed.empty());
    EXPECT_EQ(processors_by_node(path("nowhere")), std::vector<Processors>{allowed});
    write("online", "0,2-3");
    write("node0/cpulist", "100000");  // of another program
    write("node2/cpulist", std::to_string(allowed.back()));
    write("node3/cpulist", "");
    EXPECT_EQ(processors_by_node(path(".")), (std::vector<Processors>{{allowed.back()}}));
}

TEST(Numa, WorkersFillTheNodesByTheirProcessors) {
    const Processors small{0, 1};
    const Processors large{2, 3, 4, 5, 6, 7};
    const std::vector<Processors> nodes{small, large};
    EXPECT_EQ(worker_places(7, {}, nodes), (std::vector<Processors>(7))) << "a processor is left: anywhere";
    EXPECT_EQ(worker_places(8, {}, nodes),
              (std::vector<Processors>{small, small, large, large, large, large, large, large}));
    EXPECT_EQ(worker_places(2, {0, 4}, nodes), (std::vector<Processors>{small, small}));
    EXPECT_EQ(worker_places(2, {3, 4}, nodes), (std::vector<Processors>{large, large}));
    EXPECT_EQ(worker_places(100, {}, nodes).back(), large);
    EXPECT_EQ(worker_places(3, {}, {large}), (std::vector<Processors>(3))) << "one node: anywhere";
}

TEST(Numa, WorkersStayAtTheirPlacesAndTheCallerDoesNot) {
    const Processors allowed = allowed_processors();
    const Processors place{allowed.back()};
    WorkerPool pool({place, place, {1 << 20}});  // the system refuses the last one
    std::atomic<int> started{0};
    std::vector<Processors> seen(3);
    pool.run(3, [&](std::int64_t, int worker) {
        ++started;
        while (started < 3) {  // each worker takes one task
            std::this_thread::yield();
        }
        seen[static_cast<std::size_t>(worker)] = allowed_processors();
    });
    EXPECT_EQ(seen, (std::vector<Processors>{allowed, place, allowed}));
}

}  // namespace
}  // namespace softalign

#include "distributed/group.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/temporary.h"

namespace softalign {
namespace {

struct Outcome {
    std::optional<ExitCode> code;  // of the error, if there was one
    std::string message;
};

// Processes as threads, which meet in a file of their own.
class GroupTest : public testing::Test {
protected:
    void SetUp() override {
        handler_ = std::signal(SIGPIPE, SIG_IGN);  // as the program does: who has gone is an error of writing
        if (!has_transport()) {
            GTEST_SKIP() << "built without c10d";
        }
        config_.timeout = 60.0;
    }
    void TearDown() override { std::signal(SIGPIPE, handler_); }

    LaunchEnvironment place(int rank, int size) const {
        LaunchEnvironment result;
        result.rank = rank;
        result.size = size;
        result.launcher = "the test";
        result.rendezvous = rendezvous_;
        return result;
    }

    // Calls `work` in every rank that is there, and waits for all.
    std::vector<Outcome> run(int size, const std::function<void(Group&)>& work, const std::vector<int>& absent = {}) {
        std::vector<Outcome> outcomes(static_cast<std::size_t>(size));
        std::vector<std::thread> threads;
        for (int rank = 0; rank < size; ++rank) {
            if (std::find(absent.begin(), absent.end(), rank) != absent.end()) {
                continue;
            }
            threads.emplace_back([&, rank] {
                Outcome& outcome = outcomes[static_cast<std::size_t>(rank)];
                try {
                    Group group(place(rank, size), config_);
                    work(group);
                } catch (const Error& error) {
                    outcome = {error.code(), error.what()};
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        return outcomes;
    }

    static void expect_no_errors(const std::vector<Outcome>& outcomes) {
        for (const Outcome& outcome : outcomes) {
            EXPECT_FALSE(outcome.code.has_value()) << outcome.message;
        }
    }

    TemporaryDirectory folder_{"group-test"};
    std::string rendezvous_ = "file://" + folder_.path("board");
    DistributedConfig config_;
    void (*handler_)(int) = SIG_DFL;  // of SIGPIPE
};

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Group, OfOneNeedsNobody) {
    Group group;
    EXPECT_EQ(group.size(), 1);
    EXPECT_TRUE(group.is_first());
    EXPECT_EQ(group.gather("mine"), std::vector<std::string>{"mine"});
    EXPECT_EQ(group.broadcast("mine"), "mine");
    group.require_same("number", "1");
    group.finish();
    EXPECT_EQ(group.bytes_sent(), 0);
}

TEST_F(GroupTest, AFileThatIsNoMeetingPlaceIsNamed) {
    const auto message_of = [&](const std::string& path) {
        rendezvous_ = "file://" + path;
        const Outcome outcome = run(2, [](Group& /*group*/) {}).front();
        EXPECT_EQ(outcome.code, ExitCode::processes) << path;
        EXPECT_TRUE(contains(outcome.message, path + ": the processes cannot meet there: ")) << outcome.message;
        return outcome.message;
    };
    const std::string junk = folder_.path("junk");
    std::ofstream(junk) << "hi";
    EXPECT_TRUE(contains(message_of(junk), "other content"));
    std::ofstream(junk) << std::string(5000, 'x');
    EXPECT_TRUE(contains(message_of(junk), "other content"));
    EXPECT_TRUE(contains(message_of(folder_.path("none/board")), "No such file"));
    std::filesystem::create_directory(folder_.path("folder"));
    EXPECT_TRUE(contains(message_of(folder_.path("folder")), "directory"));
    ASSERT_EQ(::mkfifo(folder_.path("pipe").c_str(), 0600), 0);
    EXPECT_TRUE(contains(message_of(folder_.path("pipe")), "not a regular file"));
}

TEST_F(GroupTest, TheLastOneRemovesTheFile) {
    expect_no_errors(run(3, [](Group& group) { group.finish(); }));
    EXPECT_FALSE(std::filesystem::exists(folder_.path("board")));
    // A file that is gone ends nobody.
    expect_no_errors(run(2, [&](Group& group) {
        group.finish();
        std::filesystem::remove(folder_.path("board"));
    }));
}

TEST_F(GroupTest, GatherGivesWhatEachGaveToAll) {
    for (const int size : {2, 3, 5, 8}) {
        rendezvous_ = "file://" + folder_.path("gather" + std::to_string(size));
        expect_no_errors(run(size, [size](Group& group) {
            // Of other lengths, one of them empty, with bytes that are no text.
            const auto text = [](int rank) { return std::string(static_cast<std::size_t>(rank * 1000), '\xFE'); };
            const std::vector<std::string> all = group.gather(text(group.rank()));
            ASSERT_EQ(static_cast<int>(all.size()), size);
            for (int rank = 0; rank < size; ++rank) {
                EXPECT_EQ(all[static_cast<std::size_t>(rank)], text(rank)) << rank << " of " << size;
            }
            group.finish();
        }));
    }
}

TEST_F(GroupTest, BroadcastGivesToAllWhatTheFirstHas) {
    for (const int size : {2, 3, 7}) {
        rendezvous_ = "file://" + folder_.path("broadcast" + std::to_string(size));
        expect_no_errors(run(size, [](Group& group) {
            EXPECT_EQ(group.broadcast(group.is_first() ? "word" : "other"), "word");
            EXPECT_EQ(group.broadcast(group.is_first() ? "" : "other"), "");
            const at::Tensor values = group.is_first() ? at::arange(1000, at::kFloat) : at::zeros({1000}, at::kFloat);
            group.broadcast(values);
            EXPECT_TRUE(values.equal(at::arange(1000, at::kFloat)));
            group.finish();
        }));
    }
}

TEST_F(GroupTest, ExchangeSwapsLargeTensors) {
    expect_no_errors(run(2, [](Group& group) {
        constexpr std::int64_t count = 3000000;  // more than any buffer of the system
        const at::Tensor mine = at::full({count}, 1.0 + group.rank(), at::kFloat);
        const at::Tensor other = at::zeros({count}, at::kFloat);
        group.exchange(1 - group.rank(), mine, 1 - group.rank(), other);
        EXPECT_TRUE(other.equal(at::full({count}, 2.0 - group.rank(), at::kFloat)));
        EXPECT_EQ(group.bytes_sent(), count * 4);
        group.finish();
    }));
}

TEST_F(GroupTest, MeetsOverTcp) {
    rendezvous_ = "tcp://127.0.0.1:" + std::to_string(20000 + ::getpid() % 10000);
    expect_no_errors(run(2, [](Group& group) {
        EXPECT_EQ(group.gather(std::to_string(group.rank())), (std::vector<std::string>{"0", "1"}));
        group.finish();
    }));
}

TEST_F(GroupTest, WhyOneEndedTheOthersSay) {
    const std::vector<Outcome> outcomes = run(4, [](Group& group) {
        if (group.rank() == 2) {
            group.fail(ExitCode::output, "the disk is full");
            return;
        }
        group.gather("");
        group.gather("");
    });
    for (const int rank : {0, 1, 3}) {
        const Outcome& outcome = outcomes[static_cast<std::size_t>(rank)];
        EXPECT_EQ(outcome.code, ExitCode::output) << outcome.message;
        EXPECT_TRUE(contains(outcome.message, "rank 2 (") && contains(outcome.message, "the disk is full"))
            << outcome.message;
    }
}

TEST_F(GroupTest, OneThatIsGoneIsNamedByAll) {
    for (const int gone : {1, 3}) {
        rendezvous_ = "file://" + folder_.path("gone" + std::to_string(gone));
        const std::vector<Outcome> outcomes = run(4, [gone](Group& group) {
            group.gather("");
            if (group.rank() != gone) {
                group.gather("");
                group.gather("");
            }
        });
        for (int rank = 0; rank < 4; ++rank) {
            const Outcome& outcome = outcomes[static_cast<std::size_t>(rank)];
            if (rank != gone) {
                EXPECT_EQ(outcome.code, ExitCode::processes);
                EXPECT_TRUE(contains(outcome.message, "rank " + std::to_string(gone) + " (") &&
                            contains(outcome.message, "is gone"))
                    << outcome.message;
            }
        }
    }
}

TEST_F(GroupTest, OneThatDoesNotAnswerIsNamedByAll) {
    config_.timeout = 2.0;
    std::atomic<int> ended{0};
    const std::vector<Outcome> outcomes = run(4, [&](Group& group) {
        group.gather("");
        if (group.rank() == 3) {
            while (ended < 3) {  // as if it were stopped
                std::this_thread::yield();
                ::usleep(10000);
            }
            return;
        }
        try {
            group.gather("");
            group.gather("");
        } catch (const Error&) {
            ++ended;
            throw;
        }
        ++ended;
    });
    for (const int rank : {0, 1, 2}) {
        const Outcome& outcome = outcomes[static_cast<std::size_t>(rank)];
        EXPECT_EQ(outcome.code, ExitCode::processes);
        EXPECT_TRUE(contains(outcome.message, "rank 3 (") && contains(outcome.message, "has not answered"))
            << outcome.message;
    }
}

TEST_F(GroupTest, OneThatDoesNotComeIsNamed) {
    config_.timeout = 1.0;
    const std::vector<Outcome> outcomes = run(3, [](Group&) { ADD_FAILURE() << "they met"; }, {1});
    for (const int rank : {0, 2}) {
        const Outcome& outcome = outcomes[static_cast<std::size_t>(rank)];
        EXPECT_EQ(outcome.code, ExitCode::processes);
        EXPECT_TRUE(contains(outcome.message, "rank 1 did not come within")) << outcome.message;
    }
}

TEST_F(GroupTest, ASecondProcessOfOneRankIsRefused) {
    expect_no_errors(run(2, [this](Group& group) {
        if (group.rank() == 1) {
            EXPECT_THROW(Group(place(1, 2), config_), Error);
        }
        group.finish();
    }));
}

// Of a run of which one was killed: nobody can meet there before it is removed.
TEST_F(GroupTest, AFileThatIsLeftIsNamed) {
    config_.timeout = 1.0;
    config_.rendezvous = rendezvous_;
    run(2, [](Group&) { ADD_FAILURE() << "they met"; }, {1});
    for (const Outcome& outcome : run(2, [](Group&) { ADD_FAILURE() << "they met"; })) {
        EXPECT_EQ(outcome.code, ExitCode::processes);
        EXPECT_TRUE(contains(outcome.message, "left from an earlier run")) << outcome.message;
    }
    std::filesystem::remove(folder_.path("board"));
    config_.timeout = 60.0;
    expect_no_errors(run(2, [](Group& group) { group.finish(); }));
}

TEST_F(GroupTest, AnotherCommandIsRefused) {
    std::thread other([this] { EXPECT_THROW(Group(place(1, 2), config_, "score"), Error); });
    try {
        const Group group(place(0, 2), config_, "translate");
        ADD_FAILURE() << "they met";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::configuration);
        EXPECT_TRUE(contains(error.what(), "runs softalign score, and rank 0")) << error.what();
    }
    other.join();
}

TEST_F(GroupTest, APortInUseIsAnErrorAtOnce) {
    const int other = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_GE(other, 0);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    socklen_t size = sizeof address;
    ASSERT_EQ(::bind(other, reinterpret_cast<sockaddr*>(&address), size), 0);
    ASSERT_EQ(::listen(other, 1), 0);
    ASSERT_EQ(::getsockname(other, reinterpret_cast<sockaddr*>(&address), &size), 0);
    const std::string port = std::to_string(ntohs(address.sin6_port));
    rendezvous_ = "tcp://127.0.0.1:" + port;
    const std::vector<Outcome> outcomes = run(2, [](Group&) {}, {1});
    ::close(other);
    EXPECT_EQ(outcomes[0].code, ExitCode::processes);
    EXPECT_TRUE(contains(outcomes[0].message, "port " + port)) << outcomes[0].message;
}

TEST_F(GroupTest, APlaceThatIsNoneIsRefused) {
    for (const char* wrong :
         {"", "nowhere", "tcp://host", "tcp://:80", "tcp://host:0", "tcp://host:99999", "tcp://h:x"}) {
        rendezvous_ = wrong;
        const std::vector<Outcome> outcomes = run(2, [](Group&) {}, {1});
        EXPECT_EQ(outcomes[0].code, ExitCode::configuration) << wrong;
    }
}

TEST_F(GroupTest, DifferencesAreNamed) {
    const std::vector<Outcome> outcomes = run(3, [](Group& group) {
        group.require_same("seed", "1");
        group.require_same("training text", group.rank() == 2 ? "b" : "a");
    });
    for (const Outcome& outcome : outcomes) {
        EXPECT_EQ(outcome.code, ExitCode::configuration);
        EXPECT_TRUE(contains(outcome.message, "rank 2 (") && contains(outcome.message, "training text"))
            << outcome.message;
    }
}

}  // namespace
}  // namespace softalign

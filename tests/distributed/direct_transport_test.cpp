#include "distributed/direct_transport.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace softalign {
namespace {

// What two ranks, which are threads, have between them.
struct Middle {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::string, std::string> board;
    std::array<std::vector<at::Tensor>, 2> under_way;  // to each rank
    std::size_t largest = 0;                           // bytes of a tensor that was sent
    int connected = 0;
};

class MiddleTransport : public Transport {
public:
    MiddleTransport(Middle& middle, int rank) : middle_(middle), rank_(rank) {}

    void post(const std::string& key, const std::string& value) override {
        const std::lock_guard<std::mutex> lock(middle_.mutex);
        middle_.board[key] = value;
    }
    std::optional<std::string> look(const std::string& key) override {
        const std::lock_guard<std::mutex> lock(middle_.mutex);
        const auto found = middle_.board.find(key);
        return found == middle_.board.end() ? std::nullopt : std::make_optional(found->second);
    }
    std::int64_t count(const std::string& /*key*/) override { return 1; }
    void connect(bool /*elsewhere*/) override {
        std::unique_lock<std::mutex> lock(middle_.mutex);
        ++middle_.connected;
        middle_.changed.notify_all();
        middle_.changed.wait(lock, [this] { return middle_.connected == 2; });
    }
    void withdraw() override {}
    void disconnect() override {}
    void use_device(const at::Device& /*device*/) override {}
    void exchange(int to, const at::Tensor& sent, int /*from*/, const at::Tensor& received) override {
        std::unique_lock<std::mutex> lock(middle_.mutex);
        if (sent.defined()) {
            middle_.largest = std::max(middle_.largest, sent.nbytes());
            middle_.under_way.at(static_cast<std::size_t>(to)).push_back(sent.clone());
            middle_.changed.notify_all();
        }
        if (received.defined()) {
            auto& mine = middle_.under_way.at(static_cast<std::size_t>(rank_));
            middle_.changed.wait(lock, [&] { return !mine.empty(); });
            at::Tensor(received).copy_(mine.front());
            mine.erase(mine.begin());
        }
    }

private:
    Middle& middle_;
    int rank_;
};

// Says that its memory is where it is not.
class LyingTransport : public MiddleTransport {
public:
    using MiddleTransport::MiddleTransport;

    void post(const std::string& key, const std::string& value) override {
        auto json = nlohmann::json::parse(value);
        if (key.rfind("memory/", 0) == 0) {
            json["token"] = json.at("token").get<std::uint64_t>() + 1;
        }
        MiddleTransport::post(key, json.dump());
    }
};

using Work = std::function<void(Transport&, int rank)>;

std::size_t largest_sent(bool second_lies, const Work& work) {
    Middle middle;
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < 2; ++rank) {
        ranks.emplace_back([&, rank] {
            std::unique_ptr<Transport> plain = std::make_unique<MiddleTransport>(middle, rank);
            if (rank == 1 && second_lies) {
                plain = std::make_unique<LyingTransport>(middle, rank);
            }
            const auto transport = read_directly(std::move(plain), rank, 2, 60.0);
            transport->connect(false);
            work(*transport, rank);
        });
    }
    for (std::thread& rank : ranks) {
        rank.join();
    }
    return middle.largest;
}

constexpr std::int64_t elements = 1 << 18;

void swap(Transport& transport, int rank) {
    for (int round = 0; round < 3; ++round) {
        const at::Tensor sent = at::arange(elements, at::kFloat) + static_cast<double>(10 * round + rank);
        const at::Tensor received = at::zeros({elements}, at::kFloat);
        transport.exchange(1 - rank, sent, 1 - rank, received);
        EXPECT_TRUE(at::equal(received, at::arange(elements, at::kFloat) + static_cast<double>(10 * round + 1 - rank)));
    }
}

void give_and_take(Transport& transport, int rank) {
    const at::Tensor values = rank == 0 ? at::arange(elements, at::kFloat) : at::zeros({elements}, at::kFloat);
    transport.exchange(rank == 0 ? 1 : -1, rank == 0 ? values : at::Tensor(), rank == 0 ? -1 : 0,
                       rank == 0 ? at::Tensor() : values);
    EXPECT_TRUE(at::equal(values, at::arange(elements, at::kFloat)));
}

void swap_small(Transport& transport, int rank) {
    const at::Tensor received = at::zeros({5}, at::kFloat);
    transport.exchange(1 - rank, at::full({5}, rank, at::kFloat), 1 - rank, received);
    EXPECT_TRUE(at::equal(received, at::full({5}, 1 - rank, at::kFloat)));
}

TEST(DirectTransport, ReadsLargeTensorsFromTheOtherOnesMemory) {
    EXPECT_EQ(largest_sent(false, swap), sizeof(std::int64_t));
    EXPECT_EQ(largest_sent(false, give_and_take), sizeof(std::int64_t));
}

TEST(DirectTransport, SendsSmallOnes) {
    EXPECT_EQ(largest_sent(false, swap_small), 5 * sizeof(float));
}

TEST(DirectTransport, SendsWhatCannotBeRead) {
    EXPECT_EQ(largest_sent(true, swap), elements * sizeof(float));
    EXPECT_EQ(largest_sent(true, give_and_take), sizeof(std::int64_t));  // only one of them cannot be read
}

TEST(DirectTransport, AnOtherOneThatIsGoneIsNamed) {
    largest_sent(false, [](Transport& transport, int rank) {
        const at::Tensor received = at::zeros({elements}, at::kFloat);
        if (rank == 0) {  // gives an address where no process has anything
            transport.exchange(1, at::full({1}, 4096, at::kLong), -1, {});
            return;
        }
        try {
            transport.exchange(-1, {}, 0, received);
            ADD_FAILURE() << "nothing was read and nothing said";
        } catch (const LinkFailure& failure) {
            EXPECT_EQ(failure.partner(), 0);
            EXPECT_FALSE(failure.timed_out());
        }
    });
}

}  // namespace
}  // namespace softalign

// Several processes, each with a device of its own: ranks as threads, Gloo with copies to the host and back.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/temporary.h"
#include "devices/devices.h"
#include "distributed/device_exchange.h"
#include "distributed/group.h"
#include "ops/differences.h"
#include "train/device_step.h"

namespace softalign {
namespace {

class DeviceProcesses : public testing::TestWithParam<at::Device> {
protected:
    void SetUp() override {
        if (!has_transport()) {
            GTEST_SKIP() << "built without c10d";
        }
        config_.timeout = 60.0;
        config_.backend = DistributedBackend::gloo;  // several processes of one machine may share a device
    }

    void in_all_ranks(int ranks, const std::function<void(Group&)>& work) const {
        const TemporaryDirectory folder("devices");
        std::vector<std::thread> threads;
        for (int rank = 0; rank < ranks; ++rank) {
            threads.emplace_back([&, rank] {
                LaunchEnvironment place;
                place.rank = rank;
                place.size = ranks;
                place.launcher = "the test";
                place.rendezvous = "file://" + folder.path("board");
                Group group(place, config_);
                group.run([&] { work(group); });
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }

    DistributedConfig config_;
};

TEST_P(DeviceProcesses, ExchangeTensors) {
    in_all_ranks(2, [](Group& group) {
        group.use_device(GetParam());
        const int partner = 1 - group.rank();
        for (const std::int64_t count : {5, 100000}) {  // a large one of the CPU goes another way
            const at::Tensor mine =
                at::full({count}, 1.0 + group.rank(), at::TensorOptions(at::kFloat).device(GetParam()));
            const at::Tensor other = at::zeros_like(mine);
            const std::int64_t before = group.bytes_sent();
            group.exchange(partner, mine, partner, other);
            EXPECT_TRUE(other.cpu().equal(at::full({count}, 1.0 + partner, at::kFloat)));
            EXPECT_EQ(group.bytes_sent() - before, 4 * count);
            group.broadcast(mine);
            EXPECT_TRUE(mine.cpu().equal(at::ones({count})));
        }
    });
}

// The weights, the average and the gathered state of the optimiser are those of one process, but for rounding: the
// losses of the parts are added in another order.
TEST_P(DeviceProcesses, TrainOneModel) {
    Config config = device_step_config();
    config.model.dropout = DropoutConfig{};  // each part draws masks of its own
    config.training.optimizer.type = OptimizerType::adam;
    DeviceStep alone(config, GetParam());
    std::vector<UpdateSums> expected;
    for (std::int64_t t = 1; t <= 3; ++t) {
        expected.push_back(alone.update(t));
    }
    for (const int ranks : {2, 4}) {
        in_all_ranks(ranks, [&](Group& group) {
            group.use_device(GetParam());
            DeviceStep step(config, GetParam(), group);
            for (std::int64_t t = 1; t <= 3; ++t) {
                const UpdateSums sums = step.update(t);
                EXPECT_NEAR(sums.objective / expected[static_cast<std::size_t>(t - 1)].objective, 1.0, 1e-5);
                EXPECT_NEAR(sums.gradient_norm / expected[static_cast<std::size_t>(t - 1)].gradient_norm, 1.0, 1e-4);
                EXPECT_EQ(sums.tokens, expected[static_cast<std::size_t>(t - 1)].tokens);
            }
            step.step.gather_state();
            EXPECT_LE(largest_difference(step.weights().cpu(), alone.weights().cpu()), 1e-4);
            EXPECT_LE(largest_difference(step.vectors.average.cpu(), alone.vectors.average.cpu()), 1e-4);
            const auto state = step.vectors.optimizer.state();
            for (std::size_t i = 0; group.is_first() && i < state.size(); ++i) {
                EXPECT_LE(largest_difference(state[i].second.cpu(), alone.vectors.optimizer.state()[i].second.cpu()),
                          1e-4);
            }
        });
    }
}

INSTANTIATE_TEST_SUITE_P(All, DeviceProcesses, testing::ValuesIn(devices_beside_cpu()), device_name);

class DeviceBackends : public DeviceProcesses {};

TEST_P(DeviceBackends, NcclIsRefusedWhereThereIsNone) {
    config_.backend = DistributedBackend::nccl;
    std::vector<std::string> reasons(2);
    in_all_ranks(2, [&](Group& group) {
        try {
            group.use_device(GetParam());
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::configuration);
            reasons[static_cast<std::size_t>(group.rank())] = error.what();
        }
    });
    for (const std::string& reason : reasons) {
        EXPECT_NE(reason.find("runtime.distributed.backend: nccl"), std::string::npos) << reason;
        EXPECT_NE(reason.find("choose auto or gloo"), std::string::npos) << reason;
    }
}

INSTANTIATE_TEST_SUITE_P(NoGpu, DeviceBackends, testing::Values(at::Device(at::kCPU), counting_device()));

}  // namespace
}  // namespace softalign

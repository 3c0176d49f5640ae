#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "data/batch.h"
#include "devices/devices.h"
#include "ops/differences.h"
#include "train/device_step.h"

namespace softalign {
namespace {

struct UpdatedKind {
    std::string name;
    std::function<void(Config&)> set;
};

// Each kind of encoder and decoder, of optimiser and of objective.
std::vector<UpdatedKind> kinds() {
    return {{"plain", [](Config&) {}},
            {"lstm, masks of the state, Adam",
             [](Config& c) {
                 c.model.encoder.cell = c.model.decoder.cell = CellType::lstm;
                 c.model.dropout.recurrent = 0.2;
                 c.training.optimizer.type = OptimizerType::adam;
             }},
            {"Transformer, AdamW, two batches",
             [](Config& c) {
                 c.model.encoder.type = EncoderType::transformer;
                 c.model.encoder.hidden_size = c.model.decoder.hidden_size = 6;
                 c.model.decoder.type = DecoderType::transformer;
                 c.model.transformer.heads = 2;
                 c.training.optimizer.type = OptimizerType::adamw;
             }},
            {"convolutions, Adadelta",
             [](Config& c) {
                 c.model.encoder.type = EncoderType::convolutional;
                 c.training.optimizer.type = OptimizerType::adadelta;
             }},
            {"R-Drop, input feeding", [](Config& c) {
                 c.training.r_drop = 2.0;
                 c.model.decoder.attend = AttendWhen::after;
                 c.model.attention.type = AttentionType::general;
             }}};
}

class DeviceUpdates : public testing::TestWithParam<at::Device> {};

TEST_P(DeviceUpdates, AreThoseOfTheCpu) {
    for (const UpdatedKind& kind : kinds()) {
        SCOPED_TRACE(kind.name);
        Config config = device_step_config();
        kind.set(config);
        config.training.shards = 1;  // as on a device
        DeviceStep here(config, at::kCPU);
        DeviceStep there(config, GetParam());
        for (std::int64_t t = 1; t <= 3; ++t) {
            const UpdateSums expected = here.update(t);
            const UpdateSums found = there.update(t);
            EXPECT_NEAR(found.objective / expected.objective, 1.0, 1e-5);
            EXPECT_NEAR(found.gradient_norm / expected.gradient_norm, 1.0, 1e-4);
            EXPECT_TRUE(found.applied && found.weights_finite);
        }
        EXPECT_LE(largest_difference(there.weights().cpu(), here.weights()), 2e-4);
        EXPECT_LE(largest_difference(there.vectors.average.cpu(), here.vectors.average), 2e-4);
    }
}

INSTANTIATE_TEST_SUITE_P(All, DeviceUpdates, testing::ValuesIn(devices_beside_cpu()), device_name);

// The host waits for the losses of each batch, for the norm and for whether the weights are finite. What goes to the
// device follows from the batch: it is as much with a wider model, and nobody waits for it.
TEST(DeviceTraffic, AnUpdateReadsThreeTimesAndSendsOnlyTheBatch) {
    SOFTALIGN_SKIP_WITHOUT_COUNTING_DEVICE();
    for (const UpdatedKind& kind : kinds()) {
        SCOPED_TRACE(kind.name);
        std::vector<Traffic> of_width;
        for (const std::int64_t width : {1, 2}) {
            Config config = device_step_config();
            kind.set(config);
            config.training.shards = 8;  // which a device does not cut its batch into
            config.model.embedding_size *= width;
            config.model.encoder.hidden_size *= width;
            config.model.decoder.hidden_size *= width;
            config.model.attention.size *= width;
            DeviceStep step(config, counting_device());
            step.update(1);
            const Traffic before = traffic();
            EXPECT_TRUE(step.update(2).weights_finite);
            of_width.push_back(traffic_since(before));
        }
        const Traffic& seen = of_width.front();
        EXPECT_EQ(seen.to_host, 1);
        EXPECT_LE(seen.to_host_bytes, 3 * 8);
        EXPECT_EQ(seen.reads, 2);
        EXPECT_EQ(seen.waits, 0);
        EXPECT_GT(seen.to_device, 0);
        EXPECT_EQ(seen.to_device, of_width.back().to_device);
        EXPECT_EQ(seen.to_device_bytes, of_width.back().to_device_bytes);
    }
}

}  // namespace
}  // namespace softalign

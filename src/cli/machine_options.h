#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <optional>

#include "config/config.h"

namespace CLI {
class App;
}

namespace softalign {

// Where a model runs, and on how many threads; what is not set is as the model's configuration says.
struct MachineOptions {
    std::optional<DeviceChoice> device;
    std::optional<std::int64_t> workers;
    std::optional<Precision> precision;

    at::Device pick_device(const Config& config) const;
    int count_workers(const Config& config, const at::Device& device) const;

    // Of the products, as platform/device.h has it.
    Precision pick_precision(const Config& config, const at::Device& device) const;
};

// Adds --device, --workers and --precision. REQUIRES: `options` is there when the command line is parsed.
void add_machine_options(CLI::App& command, MachineOptions& options);

}  // namespace softalign

#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <optional>

#include "config/config.h"

namespace CLI {
class App;
}

namespace softalign {

// The device, threads and precision that a model runs with; what is not set comes from the model's configuration.
struct MachineOptions {
    std::optional<DeviceChoice> device;
    std::optional<std::int64_t> workers;
    std::optional<Precision> precision;

    at::Device pick_device(const Config& config) const;
    int count_workers(const Config& config, const at::Device& device) const;

    // The precision of products, chosen as described in platform/device.h.
    Precision pick_precision(const Config& config, const at::Device& device) const;
};

// Adds --device, --workers and --precision. REQUIRES: `options` outlives the parsing of the command line.
void add_machine_options(CLI::App& command, MachineOptions& options);

}  // namespace softalign

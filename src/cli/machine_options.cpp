#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <string>

#include "distributed/launch_environment.h"
#include "platform/device.h"

namespace softalign {

at::Device MachineOptions::pick_device(const Config& config) const {
    return softalign::pick_device(device.value_or(config.runtime.device), launch_environment().local_rank);
}

int MachineOptions::count_workers(const Config& config, const at::Device& picked, int sharing) const {
    const std::int64_t asked = workers.value_or(config.runtime.workers);
    const int count = worker_count(asked, picked);
    return asked == 0 ? std::max(1, count / sharing) : count;
}

Precision MachineOptions::pick_precision(const Config& config, const at::Device& picked) const {
    return softalign::pick_precision(precision.value_or(config.runtime.precision), picked);
}

namespace {

void add_precision_option(CLI::App& command, MachineOptions& options) {
    add_choice(
        command, "--precision", {"float32", "bfloat16", "int8"},
        [&options](const std::string& name) {
            options.precision = name == "int8"       ? Precision::int8
                                : name == "bfloat16" ? Precision::bfloat16
                                                     : Precision::float32;
        },
        "float32, bfloat16 or int8: precision of the factors of matrix products (default: the model's configuration)")
        ->type_name("TYPE");
}

}  // namespace

void add_machine_options(CLI::App& command, MachineOptions& options, const std::string& workers) {
    add_choice(
        command, "--device", {"auto", "cpu", "cuda"},
        [&options](const std::string& name) { options.device = parse_device(name); },
        "auto, cpu or cuda (default: the model's configuration)")
        ->type_name("DEVICE");
    add_number(command, "--workers", options.workers, between(0, 1024),
               "Number of threads; 0 = one per physical core (default: " + workers + ")");
    add_precision_option(command, options);
}

}  // namespace softalign

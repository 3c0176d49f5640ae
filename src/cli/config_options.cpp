#include "cli/config_options.h"

#include <spdlog/spdlog.h>

#include <string>

#include <CLI/CLI.hpp>

#include "config/load.h"
#include "platform/blas.h"
#include "report/log.h"

namespace softalign {

Config ConfigOptions::load() const {
    Config config = load_config(file, overrides);
    set_up_logging(config.runtime.log_level);
    if (const std::string advice = blas_advice(blas_info()); !advice.empty()) {
        spdlog::warn("{}", advice);
    }
    return config;
}

void add_config_options(CLI::App& command, ConfigOptions& options) {
    command.add_option("CONFIG", options.file, "The configuration (docs/configuration.md)")
        ->required()
        ->type_name("FILE");
    command.add_option("--set", options.overrides, "Override a key, such as training.batch_size=32; may be repeated")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
}

}  // namespace softalign

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/shell.h"
#include "cli/commands.h"
#include "config/load.h"
#include "config/metric.h"
#include "platform/allocator.h"
#include "platform/blas.h"
#include "report/log.h"
#include "report/progress_line.h"
#include "train/trainer.h"

namespace softalign {

namespace {

struct TrainArguments {
    std::string config;
    std::vector<std::string> overrides;
    std::string device;
    bool resume = false;
    bool dry_run = false;
};

void report_end(const Config& config, const TrainingResult& result) {
    const std::string& directory = config.checkpoints.directory;
    spdlog::info("training ended after update {} ({}): {}", result.state.update,
                 format_duration(result.state.minutes * 60.0), describe(result.reason, config));
    if (!result.state.best.empty()) {
        const BestCheckpoint& best = result.state.best.front();
        spdlog::info("best validation {}: {:.4g} after update {}", metric_name(config.validation.metric), best.score,
                     best.update);
    }
    spdlog::info("model: {}", directory);
    if (result.reason == StopReason::signal) {
        spdlog::info("go on with the same command and --resume");
    } else {
        spdlog::info("translate with: softalign translate --model {} --input FILE", shell_word(directory));
    }
}

int run_train(const TrainArguments& arguments) {
    set_up_logging(LogLevel::info);
    std::vector<std::string> overrides = arguments.overrides;
    if (!arguments.device.empty()) {
        overrides.push_back("runtime.device=" + arguments.device);
    }
    const Config config = load_config(arguments.config, overrides);
    require_training_keys(config, arguments.config);
    set_up_logging(config.runtime.log_level);
    const std::string advice = blas_advice(blas_info());
    if (!advice.empty()) {
        spdlog::warn("{}", advice);
    }
    if (arguments.dry_run) {
        std::cout << dry_run(config) << std::flush;
        return static_cast<int>(ExitCode::success);
    }
    keep_freed_memory();
    const TrainingResult result = train(config, arguments.resume);
    report_end(config, result);
    return static_cast<int>(result.reason == StopReason::signal ? ExitCode::interrupted : ExitCode::success);
}

}  // namespace

void add_train_command(CLI::App& program, Action& action) {
    auto arguments = std::make_shared<TrainArguments>();
    CLI::App* command = program.add_subcommand("train", "Train a model from a YAML config and parallel text");
    command->add_option("config", arguments->config, "The configuration (docs/configuration.md)")
        ->required()
        ->type_name("CONFIG");
    command->add_option("--set", arguments->overrides, "Override a key: training.batch_size=32; may be given again")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
    command->add_option("--device", arguments->device, "auto, cpu or cuda: short for --set runtime.device=...")
        ->type_name("DEVICE");
    command->add_flag("--resume", arguments->resume, "Go on from the newest checkpoint of the model directory");
    command->add_flag("--dry-run", arguments->dry_run,
                      "Print the model, the data and the memory an update needs, and stop");
    command->callback([arguments, &action] { action = [arguments] { return run_train(*arguments); }; });
}

}  // namespace softalign

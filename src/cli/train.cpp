#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/strings.h"
#include "cli/options.h"
#include "cli/program.h"
#include "config/load.h"
#include "config/metric.h"
#include "distributed/launch_environment.h"
#include "journal/log.h"
#include "journal/progress.h"
#include "report/run_review.h"
#include "train/run_directory.h"
#include "train/trainer.h"

namespace softalign {

namespace {

struct TrainArguments {
    ConfigOptions config;
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
        spdlog::info("to continue, run the same command with --resume");
    } else {
        spdlog::info("translate with: softalign translate --model {} --input FILE", shell_word(directory));
    }
}

// The report is an extra: where it cannot be made, the run has ended well all the same.
void write_run_report(const Config& config) {
    const std::string& directory = config.checkpoints.directory;
    const std::string path = (std::filesystem::path(directory) / "report.html").string();
    try {
        ReviewOptions options;
        options.device = config.runtime.device;
        options.workers = config.runtime.workers;
        const Report report = review_runs({directory}, options);
        write_report(report, path, AtomicFile::Link::replaced);
        for (const std::string& problem : report.runs.front().problems) {
            spdlog::info("report: {}", problem);
        }
        spdlog::info("report: {}", path);
    } catch (const std::exception& error) {
        const std::string reason = error.what();
        spdlog::warn("the report could not be written: {}; make it with: softalign report {}",
                     reason.substr(0, reason.find('\n')), shell_word(directory));
    }
}

int run_train(const TrainArguments& arguments) {
    set_up_logging(LogLevel::info);
    ConfigOptions options = arguments.config;
    if (!arguments.device.empty()) {
        options.overrides.push_back("runtime.device=" + arguments.device);
    }
    if (launch_environment().rank > 0) {
        options.overrides.emplace_back("runtime.log_level=error");  // the first process talks for all
    }
    const Config config = options.load();
    require_training_keys(config, options.file);
    if (arguments.dry_run) {
        require_one_process("train --dry-run");
        std::cout << dry_run(config) << std::flush;
        return static_cast<int>(ExitCode::success);
    }
    if (arguments.resume && !options.sets("checkpoints.directory")) {
        require_run_of_config(config, options.file);
    }
    require_config_to_stay(config, options.file, arguments.resume);
    const TrainingResult result = train(config, arguments.resume);
    if (result.is_first) {
        report_end(config, result);
    }
    if (result.is_first && config.report.html && result.reason != StopReason::signal) {
        write_run_report(config);
    }
    return static_cast<int>(result.reason == StopReason::signal ? ExitCode::interrupted : ExitCode::success);
}

}  // namespace

void add_train_command(CLI::App& program, Action& action) {
    auto arguments = std::make_shared<TrainArguments>();
    CLI::App* command = program.add_subcommand("train", "Train a model from a YAML config and parallel text");
    add_config_options(*command, arguments->config);
    add_choice(
        *command, "--device", {"auto", "cpu", "cuda"},
        [arguments](const std::string& name) { arguments->device = name; },
        "auto, cpu or cuda: short for --set runtime.device=...")
        ->type_name("DEVICE");
    command->add_flag("--resume", arguments->resume, "Continue from the newest checkpoint in the model directory");
    command->add_flag("--dry-run", arguments->dry_run,
                      "Print the model, the data and the memory that an update needs, then stop");
    command->callback([arguments, &action] { action = [arguments] { return run_train(*arguments); }; });
}

}  // namespace softalign

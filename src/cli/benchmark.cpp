#include "benchmark/run_benchmark.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "benchmark/family.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/program.h"
#include "config/load.h"

namespace softalign {

namespace {

struct BenchmarkArguments {
    ConfigOptions config;
    BenchmarkRequest request;
    std::string only;
    bool all = false;
    bool json = false;
};

template <typename Value>
void require_once(const char* option, const std::vector<Value>& values) {
    if (std::set<Value>(values.begin(), values.end()).size() != values.size()) {
        throw Error(ExitCode::usage, std::string(option) + ": a number is given twice; give each once");
    }
}

void check_arguments(const BenchmarkArguments& arguments) {
    require_once("--workers", arguments.request.workers);
    require_once("--beams", arguments.request.beams);
    for (const auto& [option, value] : {std::pair<const char*, const std::string&>{"--model", arguments.request.model},
                                        {"--input", arguments.request.input}}) {
        if (arguments.only == "training" && !value.empty()) {
            throw Error(ExitCode::usage, std::string(option) +
                                             " is for translation, which --only training leaves out; give one of the "
                                             "two");
        }
    }
}

void check_files(const BenchmarkArguments& arguments) {
    FileNames names;
    names.reads("the configuration", arguments.config.file);
    names.reads("--input", arguments.request.input);
    if (!arguments.request.model.empty()) {
        names.reads_model(arguments.request.model);
    }
    names.writes("standard output", "-");
    names.check();
}

// The members whose structure the sizes of the configuration allow. Says why others are left out.
std::vector<std::pair<FamilyMember, Config>> possible_members(const ConfigOptions& options) {
    std::vector<std::pair<FamilyMember, Config>> members;
    for (const FamilyMember& member : family()) {
        std::vector<std::string> settings = options.overrides;
        settings.insert(settings.end(), family_base().begin(), family_base().end());
        settings.insert(settings.end(), member.settings.begin(), member.settings.end());
        try {
            Config config = load_config(options.file, settings);
            config.training.freeze.clear();            // names of tensors, which another structure may not have
            config.training.minimum_risk.samples = 0;  // there is no trained model to draw from
            members.emplace_back(member, std::move(config));
        } catch (const Error& error) {
            spdlog::warn("{} is left out: {}", member.name, error.what());
        }
    }
    if (members.empty()) {
        throw Error(ExitCode::configuration, options.file + ": none of the models of --all can have its sizes");
    }
    return members;
}

int run(const BenchmarkArguments& arguments) {
    check_arguments(arguments);
    check_files(arguments);
    BenchmarkRequest request = arguments.request;
    request.config_name = arguments.config.file;
    request.training = arguments.only != "translation";
    request.translation = arguments.only != "training";
    const auto print = [&](const auto& report) {
        std::cout << (arguments.json ? to_json(report) + "\n" : to_text(report)) << std::flush;
    };
    const Config config = arguments.config.load();
    if (arguments.all) {
        print(run_family(possible_members(arguments.config), request));
    } else {
        print(run_benchmark(config, request));
    }
    return static_cast<int>(ExitCode::success);
}

void add_measurements(CLI::App& command, BenchmarkRequest& request) {
    const Allowed count = between(1, 1000000);
    add_number(command, "--updates", request.updates, count, "Timed updates per measurement (default: 40)");
    add_number(command, "--warmup", request.warmup, between(0, 1000000), "Untimed updates before them (default: 5)");
    add_number(command, "--rounds", request.rounds, count, "Number of interleaved rounds of measurements (default: 3)");
    add_numbers(command, "--workers", request.workers, between(1, 1024),
                "Numbers of worker threads, such as 1,2 (default: 1 and the configuration's number)");
    add_numbers(command, "--beams", request.beams, between(1, find_key("search.beam")->allowed.maximum),
                "Beam sizes (default: 1,5)");
}

}  // namespace

void add_benchmark_command(CLI::App& program, Action& action) {
    auto arguments = std::make_shared<BenchmarkArguments>();
    CLI::App* command =
        program.add_subcommand("benchmark", "Measure how fast a configuration trains and translates on this machine");
    add_config_options(*command, arguments->config);
    add_measurements(*command, arguments->request);
    add_choice(
        *command, "--only", {"training", "translation"},
        [arguments](const std::string& only) { arguments->only = only; }, "training or translation (default: both)")
        ->type_name("WHAT");
    command
        ->add_option("--model", arguments->request.model,
                     "Translate with this model directory (default: the weights of this run)")
        ->type_name("DIR");
    command
        ->add_option("--input", arguments->request.input,
                     "Text to translate, plain or .gz (default: the configuration's validation text)")
        ->type_name("FILE|-");
    command->add_flag("--all", arguments->all,
                      "Compare many structures in this configuration's sizes: units, attentions, orders, networks");
    command->add_flag("--json", arguments->json, "Print one JSON object instead of tables");
    command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace softalign

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/atomic_file.h"
#include "base/counted.h"
#include "base/error.h"
#include "base/strings.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/program.h"
#include "storage/average.h"

namespace softalign {

namespace {

struct AverageArguments {
    std::vector<std::string> checkpoints;
    std::string model;
    std::int64_t best = 0;  // 0 = all
    std::string output;
};

bool names_weights(const std::string& path) {
    return ends_with(path, ".safetensors");
}

void check_form(const AverageArguments& arguments) {
    if (arguments.checkpoints.empty() == arguments.model.empty()) {
        throw Error(ExitCode::usage,
                    "average takes either checkpoint files, or --model DIR for the best ones of a training");
    }
    if (arguments.model.empty() && !names_weights(arguments.output)) {
        throw Error(ExitCode::usage, "--output " + arguments.output +
                                         ": name a file that ends in .safetensors; a model directory can be written "
                                         "with --model alone");
    }
}

// All of a training that is no output: its model and its checkpoints.
void name_run(const std::string& model, FileNames& names) {
    namespace fs = std::filesystem;
    names.reads_model(model);
    std::error_code fault;
    for (fs::directory_iterator file(fs::path(model) / "checkpoints", fault);
         !fault && file != fs::directory_iterator(); file.increment(fault)) {
        names.reads("--model", file->path().string());
    }
}

// In the folder of the checkpoints, any file may be taken for one.
void refuse_checkpoint_folder(const AverageArguments& arguments) {
    namespace fs = std::filesystem;
    std::error_code fault;
    const fs::path folder = fs::absolute(arguments.output).parent_path();
    if (fs::equivalent(folder, fs::path(arguments.model) / "checkpoints", fault)) {
        throw Error(ExitCode::usage, "--output " + arguments.output +
                                         " is in the folder of the training's checkpoints; write it to another");
    }
}

void check_files(const AverageArguments& arguments, const std::vector<std::string>& checkpoints) {
    FileNames names;
    for (const std::string& path : checkpoints) {
        names.reads("the average", path);
    }
    if (!arguments.model.empty()) {
        name_run(arguments.model, names);
    }
    names.writes("standard output", "-");
    names.writes("--output", arguments.output);
    names.check();
    if (!arguments.model.empty()) {
        refuse_checkpoint_folder(arguments);
    }
}

// Makes and removes what the output begins with, so that its faults show before the work.
void check_place(const std::string& output) {
    if (names_weights(output)) {
        const AtomicFile file(output);
    } else {
        const AtomicDirectory directory(output);
    }
}

int run(const AverageArguments& arguments) {
    check_form(arguments);
    std::vector<std::string> checkpoints = arguments.checkpoints;
    if (!arguments.model.empty()) {
        checkpoints = best_checkpoints(arguments.model, static_cast<std::size_t>(arguments.best));
    }
    check_files(arguments, checkpoints);
    check_place(arguments.output);
    const TensorFile averaged = average_checkpoints(checkpoints);
    if (names_weights(arguments.output)) {
        write_safetensors(arguments.output, averaged);
    } else {
        write_model_like(arguments.model, arguments.output, averaged);
    }
    std::cout << "averaged " << counted(averaged.tensors.size(), "tensor") << " of "
              << counted(checkpoints.size(), "checkpoint") << ":\n";
    for (const std::string& path : checkpoints) {
        std::cout << "  " << terminal_text(path) << "\n";
    }
    std::cout << "wrote " << terminal_text(arguments.output) << "\n";
    if (!names_weights(arguments.output)) {
        std::cout << "translate with: softalign translate --model " << terminal_text(shell_word(arguments.output))
                  << "\n";
    } else if (!arguments.model.empty()) {
        std::cout << "translate with: softalign translate --model " << terminal_text(shell_word(arguments.model))
                  << " --weights " << terminal_text(shell_word(arguments.output)) << "\n";
    }
    return static_cast<int>(ExitCode::success);
}

}  // namespace

void add_average_command(CLI::App& program, Action& action) {
    CLI::App* command = program.add_subcommand("average", "Average the weights of several checkpoints into one");
    const auto arguments = std::make_shared<AverageArguments>();
    command->add_option("checkpoints", arguments->checkpoints, "Weights to average")->type_name("FILE.safetensors");
    CLI::Option* model =
        command->add_option("--model", arguments->model, "Average the best checkpoints of this model directory");
    model->type_name("DIR");
    add_number(*command, "--best", arguments->best, between(1, 1000000),
               "Number of best checkpoints (default: all that training kept)")
        ->needs(model);
    command
        ->add_option("--output", arguments->output,
                     "File to write (a name ending in .safetensors), or with --model a new model directory")
        ->required()
        ->type_name("FILE|DIR");
    command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace softalign

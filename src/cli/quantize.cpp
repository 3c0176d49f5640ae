#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/precision.h"
#include "base/strings.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/program.h"
#include "storage/average.h"
#include "storage/model_directory.h"
#include "storage/quantized.h"
#include "storage/safetensors.h"

namespace softalign {

namespace {

struct QuantizeArguments {
    std::string model;
    std::string weights;
    std::string output;
};

void check_files(const QuantizeArguments& arguments) {
    FileNames names;
    names.reads_parts(arguments.model, arguments.weights);
    if (arguments.output == "-") {
        throw Error(ExitCode::usage, "--output -: a model is a directory, and not standard output; name a new one");
    }
    names.writes("standard output", "-");
    names.writes("--output", arguments.output);
    names.check();
}

std::string megabytes(const std::string& path) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(std::filesystem::file_size(path)) / 1e6);
    return text;
}

int run(const QuantizeArguments& arguments) {
    check_files(arguments);
    { const AtomicDirectory place(arguments.output); }  // its faults show before the work
    const std::string from = arguments.weights.empty() ? weights_path(arguments.model) : arguments.weights;
    LoadedModel loaded = load_model(arguments.model, at::Device(at::kCPU), arguments.weights);
    TensorFile original;
    original.metadata = read_safetensors_metadata(from);
    if (is_quantized(original)) {
        throw Error(ExitCode::model, from + ": its weights are int8 already; translate with them as they are");
    }
    TensorFile quantized = quantized_weights(*loaded.model);
    quantized.metadata.insert(original.metadata.begin(), original.metadata.end());
    loaded.config.runtime.precision = Precision::int8;
    write_model_like(arguments.model, arguments.output, quantized, &loaded.config);
    std::cout << "rounded " << quantized.tensors.size() - loaded.model->parameters().size() << " of "
              << loaded.model->parameters().size() << " tensors to int8: " << megabytes(from) << " became "
              << megabytes(weights_path(arguments.output)) << "\n"
              << "wrote " << terminal_text(arguments.output) << "\n"
              << "translate with: softalign translate --model " << terminal_text(shell_word(arguments.output)) << "\n";
    return static_cast<int>(ExitCode::success);
}

}  // namespace

void add_quantize_command(CLI::App& program, Action& action) {
    CLI::App* command =
        program.add_subcommand("quantize", "Write a model directory a quarter as large, with weights in int8");
    const auto arguments = std::make_shared<QuantizeArguments>();
    command->add_option("--model", arguments->model, "Model directory")->required()->type_name("DIR");
    command->add_option("--weights", arguments->weights, "Another checkpoint (default: model.safetensors)")
        ->type_name("FILE");
    command->add_option("--output", arguments->output, "New model directory")->required()->type_name("DIR");
    command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace softalign

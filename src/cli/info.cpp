#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/instructions.h"
#include "base/precision.h"
#include "base/strings.h"
#include "base/version.h"
#include "cli/options.h"
#include "cli/program.h"
#include "config/load.h"
#include "config/schema.h"
#include "config/yaml_tree.h"
#include "platform/blas.h"
#include "platform/device.h"
#include "platform/processor.h"
#include "storage/model_directory.h"
#include "storage/safetensors.h"
#include "text/placeholder_pieces.h"

namespace softalign {

namespace {

using Json = nlohmann::ordered_json;

struct InfoArguments {
    std::string model;
    std::string format = "text";
    bool config_reference = false;
};

Json blas_facts(const BlasInfo& info) {
    constexpr int size = 1024;
    return {{"name", info.name},
            {"kernels", info.kernels},
            {"library", info.library},
            {"reference", info.reference},
            {"gflops", measure_sgemm(size)}};
}

Json device_facts() {
    Json devices = Json::array();
    for (const DeviceInfo& device : list_devices()) {
        devices.push_back({{"name", device.name}, {"model", device.model}, {"memory_bytes", device.memory}});
    }
    return devices;
}

Json model_facts(const std::string& directory) {
    const LoadedModel loaded = load_model(directory, at::Device(at::kCPU));
    Json facts{{"directory", directory}};
    for (const Key& key : schema()) {
        if (starts_with(key.path, "model.")) {
            facts["configuration"][key.path] = format_value(key.get(loaded.config), key.type);
        }
    }
    if (loaded.model->has_features()) {
        facts["features"] = loaded.model->sizes().source;
        facts["vocabulary"] = {{"target", loaded.target_tokenizer->size()}};
    } else {
        facts["vocabulary"] = {{"joint", loaded.source_tokenizer == loaded.target_tokenizer},
                               {"source", loaded.source_tokenizer->size()},
                               {"target", loaded.target_tokenizer->size()}};
        if (const std::size_t held = count_placeholders(*loaded.source_tokenizer, *loaded.target_tokenizer); held > 0) {
            facts["vocabulary"]["placeholders"] = held;
        }
    }
    facts["training"] = read_safetensors_metadata(weights_path(directory));
    facts["parameters"] = loaded.model->parameter_count();
    facts["tensors"] = Json::array();
    for (const auto& item : loaded.model->named_parameters()) {
        facts["tensors"].push_back(
            {{"name", item.key()}, {"shape", item.value().sizes().vec()}, {"parameters", item.value().numel()}});
    }
    return facts;
}

Json all_facts(const InfoArguments& arguments) {
    // First: its faults show before the measurement.
    const Json model = arguments.model.empty() ? Json() : model_facts(arguments.model);
    const BlasInfo blas = blas_info();
    Json facts{{"version", version()},
               {"build_type", build_type()},
               {"compiler", compiler()},
               {"libtorch", libtorch_version()},
               {"blas", blas_facts(blas)},
               {"cores", {{"physical", physical_cores()}, {"logical", logical_cores()}}},
               {"memory_bytes", available_memory()},
               {"kernels", name_of(may_use_amx() ? Instructions::amx : std::min(instructions(), Instructions::avx512))},
               {"bfloat16", gains_from_bfloat16()},
               {"devices", device_facts()},
               {"warning", blas_advice(blas)}};
    if (!model.is_null()) {
        facts["model"] = model;
    }
    return facts;
}

void print_row(const std::string& name, const std::string& value) {
    constexpr std::size_t width = 12;
    std::cout << name << std::string(name.size() < width ? width - name.size() : 1, ' ') << terminal_text(value)
              << "\n";
}

std::string text_of(const Json& value) {
    return value.is_string() ? value.get<std::string>() : json_text(value);
}

std::string gigabytes(const Json& bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f GiB", bytes.get<double>() / (1 << 30));
    return text;
}

void print_blas(const Json& blas) {
    char speed[64];
    std::snprintf(speed, sizeof speed, ", %.1f GFLOP/s (one thread, float32, 1024 x 1024)",
                  blas["gflops"].get<double>());
    const std::string kernels = text_of(blas["kernels"]);
    print_row("BLAS", text_of(blas["name"]) + (kernels.empty() ? "" : ", " + kernels + " kernels") + speed);
    print_row("", text_of(blas["library"]));
}

void print_system(const Json& facts) {
    print_row("softalign", text_of(facts["version"]));
    print_row("build", text_of(facts["build_type"]) + ", " + text_of(facts["compiler"]));
    print_row("LibTorch", text_of(facts["libtorch"]));
    print_blas(facts["blas"]);
    print_row("cores", text_of(facts["cores"]["physical"]) + " physical, " + text_of(facts["cores"]["logical"]) +
                           " logical, for this process");
    print_row("kernels", text_of(facts["kernels"]));
    const std::string instructions = facts["kernels"] == name_of(Instructions::amx) ? "AMX" : "AVX512_BF16";
    print_row("bfloat16", facts["bfloat16"].get<bool>()
                              ? "faster than float32, with " + instructions + " (runtime.precision, --precision)"
                              : "slower than float32 here");
    print_row("memory", gigabytes(facts["memory_bytes"]));
    for (const Json& device : facts["devices"]) {
        const std::string model = text_of(device["model"]);
        const bool known = device["memory_bytes"].get<double>() > 0.0;
        print_row("device", text_of(device["name"]) + (model.empty() ? "" : ", " + model) +
                                (known ? ", " + gigabytes(device["memory_bytes"]) : ""));
    }
}

void print_model(const Json& model) {
    std::cout << "\n";
    print_row("model", text_of(model["directory"]));
    const Json& vocabulary = model["vocabulary"];
    if (model.contains("features")) {
        print_row("source", "features, " + text_of(model["features"]) + " values at each position");
        print_row("vocabulary", "target " + text_of(vocabulary["target"]));
    } else {
        print_row(
            "vocabulary",
            "source " + text_of(vocabulary["source"]) + ", target " + text_of(vocabulary["target"]) +
                (vocabulary["joint"].get<bool>() ? " (joint)" : "") +
                (vocabulary.contains("placeholders") ? ", " + text_of(vocabulary["placeholders"]) + " placeholders"
                                                     : ""));
    }
    for (const auto& item : model["training"].items()) {
        print_row("training", item.key() + ": " + text_of(item.value()));
    }
    std::cout << "\n";
    for (const auto& item : model["configuration"].items()) {
        std::cout << item.key() << ": " << text_of(item.value()) << "\n";
    }
    std::cout << "\n";
    for (const Json& tensor : model["tensors"]) {
        char line[256];
        std::snprintf(line, sizeof line, "%12lld  %s %s\n", tensor["parameters"].get<long long>(),
                      text_of(tensor["name"]).c_str(), json_text(tensor["shape"]).c_str());
        std::cout << line;
    }
    char total[64];
    std::snprintf(total, sizeof total, "%12lld  parameters in all\n", model["parameters"].get<long long>());
    std::cout << total;
}

int run(const InfoArguments& arguments) {
    if (arguments.config_reference) {
        std::cout << configuration_reference();
        return static_cast<int>(ExitCode::success);
    }
    const Json facts = all_facts(arguments);
    if (arguments.format == "json") {
        std::cout << json_text(facts, 2) << "\n";
    } else {
        print_system(facts);
        if (facts.contains("model")) {
            print_model(facts["model"]);
        }
    }
    std::cout.flush();
    if (const std::string warning = text_of(facts["warning"]); !warning.empty()) {
        spdlog::warn("{}", warning);
    }
    return static_cast<int>(ExitCode::success);
}

}  // namespace

void add_info_command(CLI::App& program, Action& action) {
    CLI::App* command = program.add_subcommand(
        "info", "Show what the program runs on (BLAS and its speed, cores, devices), and describe a model");
    const auto arguments = std::make_shared<InfoArguments>();
    command->add_option("--model", arguments->model, "Also describe this model directory")->type_name("DIR");
    add_choice(
        *command, "--format", {"text", "json"}, [arguments](const std::string& format) { arguments->format = format; },
        "text or json (default: text)")
        ->type_name("FORMAT");
    // For the maintainers: docs/configuration.md is this text.
    command->add_flag("--config-reference", arguments->config_reference)->group("");
    command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace softalign

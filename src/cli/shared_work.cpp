#include "cli/shared_work.h"

#include <ATen/ATen.h>
#include <spdlog/fmt/fmt.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/instructions.h"
#include "base/strings.h"
#include "config/schema.h"
#include "config/yaml_tree.h"
#include "distributed/group.h"
#include "distributed/launch_environment.h"
#include "journal/log.h"
#include "platform/device.h"
#include "storage/model_directory.h"

namespace softalign {

namespace {

std::string digits(std::uint32_t sum) {
    return fmt::format("CRC-32C {:08x}", sum);
}

std::string checksum_of_weights(const LoadedEnsemble& loaded) {
    std::uint32_t sum = 0;
    for (const LoadedModel& model : loaded.models) {
        for (const at::Tensor& parameter : model.model->parameters()) {
            const at::Tensor values = parameter.detach().to(at::kCPU).contiguous();
            sum = crc32c(values.data_ptr(), values.nbytes(), sum);
        }
    }
    return digits(sum);
}

// Messages name the keys of a configuration, which are options here: "runtime.distributed.timeout" is --timeout.
std::string with_options(std::string message) {
    replace_all(message, "runtime.distributed.", "--");
    return message;
}

int share(const DistributedConfig& config, const SharedWork& work) {
    Group group(launch_environment(), config, work.command, "start all processes again");
    if (group.is_alone()) {
        return work.lead(group, nullptr);
    }
    std::optional<ProcessHelpers> helpers;  // ends after the others have been told what went wrong
    int status = 0;
    group.run([&] {
        if (group.is_first()) {
            helpers.emplace(group);
            status = work.lead(group, &*helpers);
        } else {
            set_up_logging(LogLevel::error);  // the first process talks for all
            help(group, [&] { return work.help(group); });
        }
    });
    return status;
}

}  // namespace

void add_distributed_options(CLI::App& command, DistributedConfig& options) {
    add_text(command, "--rendezvous", options.rendezvous,
             "Where several processes meet: tcp://HOST:PORT or file:///PATH (default: where the launcher says)")
        ->type_name("URL");
    add_text(command, "--interface", options.interface,
             "Network interface for traffic between them (default: the one that leads to the rendezvous)")
        ->type_name("NAME");
    add_number(command, "--timeout", options.timeout, between(1, 86400),
               "Seconds without a sign of life after which a process counts as gone (default: 600)");
}

int share_work(const DistributedConfig& config, const SharedWork& work) {
    try {
        return share(config, work);
    } catch (const Error& error) {
        if (const std::string message = with_options(error.what()); message != error.what()) {
            throw Error(error.code(), message);
        }
        throw;
    }
}

void dismiss(ProcessHelpers* helpers) {
    if (helpers != nullptr) {
        helpers->dismiss();
    }
}

nlohmann::ordered_json settings_of(const ModelOptions& models, const LoadedEnsemble& loaded, Precision precision,
                                   const SearchConfig& search) {
    nlohmann::ordered_json settings;
    settings["model"] = checksum_of_weights(loaded);
    std::uint32_t vocabularies = 0;
    for (std::size_t i = 0; i < models.directories.size(); ++i) {
        const SourceType type = loaded.models[i].config.data.source_type;
        for (const VocabularyBytes& file : read_vocabularies(models.directories[i], type)) {
            vocabularies = crc32c(file.bytes.data(), file.bytes.size(), vocabularies);
        }
    }
    settings["vocabulary"] = digits(vocabularies);
    settings["precision"] = name_of(precision);
    if (precision == Precision::bfloat16) {
        settings[bfloat16_instructions] = name_of(instructions_of_bfloat16());
    }
    settings["weights of the ensemble"] = loaded.ensemble.weights();
    settings["averaging space"] = loaded.ensemble.space() == EnsembleSpace::log ? "log" : "probability";
    Config config;
    config.search = search;
    for (const Key& key : search_schema()) {
        settings[key.path] = format_value(key.get(config), key.type);
    }
    return settings;
}

std::string checksum_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::uint32_t sum = 0;
    char buffer[1 << 16];
    while (file.read(buffer, sizeof buffer) || file.gcount() > 0) {
        sum = crc32c(buffer, static_cast<std::size_t>(file.gcount()), sum);
    }
    if (!file.eof()) {
        throw Error(ExitCode::data, path + ": cannot read it: " + errno_text(errno));
    }
    return digits(sum);
}

}  // namespace softalign

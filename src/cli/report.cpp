#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/program.h"
#include "config/config.h"
#include "html/report.h"
#include "report/run_review.h"
#include "storage/model_directory.h"
#include "translate/text_output.h"

namespace softalign {

namespace {

struct ReportArguments {
    std::vector<std::string> directories;
    std::string output;
    ReviewOptions options;
    MachineOptions machine;
};

std::string output_of(const ReportArguments& arguments) {
    if (!arguments.output.empty()) {
        return arguments.output;
    }
    if (arguments.directories.size() > 1) {
        throw Error(ExitCode::usage,
                    "a comparison of several runs belongs to none of their directories; give --output "
                    "FILE");
    }
    return (std::filesystem::path(arguments.directories.front()) / "report.html").string();
}

// The texts that a run was trained and validated on. What is wrong with its configuration is told later.
void name_texts(const std::string& directory, FileNames& names) {
    try {
        const DataConfig data = load_model_config(directory).data;
        for (const std::vector<std::string>& texts :
             {data.train_source, data.train_target, {data.valid_source, data.valid_target}}) {
            for (const std::string& text : texts) {
                names.reads(directory, text);
            }
        }
    } catch (const Error&) {
    }
}

void check_files(const ReportArguments& arguments, const std::string& output) {
    FileNames names;
    for (const std::string& directory : arguments.directories) {
        names.reads_model(directory, "", directory);
        name_texts(directory, names);
        names.reads(directory, (std::filesystem::path(directory) / "metrics.jsonl").string());
    }
    names.reads_file("--source", arguments.options.source, "it is read for every run");
    names.reads_file("--references", arguments.options.references, "they are read for every run");
    names.writes_file("--output", output, "the report is a page to open");
    names.check();
}

int run(const ReportArguments& arguments) {
    const std::string output = output_of(arguments);
    check_files(arguments, output);
    ReviewOptions options = arguments.options;
    options.device = arguments.machine.device;
    options.workers = arguments.machine.workers;
    options.precision = arguments.machine.precision;
    std::for_each(arguments.directories.begin(), arguments.directories.end(), &require_run);
    TextOutput file(output);  // its faults show before the work
    const Report report = review_runs(arguments.directories, options);
    file.write(report_page(report));
    file.close();
    for (const ReportRun& reviewed : report.runs) {
        for (const std::string& problem : reviewed.problems) {
            spdlog::warn("{}: {}", reviewed.name, problem);
        }
    }
    spdlog::info("report: {}", output);
    return static_cast<int>(ExitCode::success);
}

}  // namespace

void add_report_command(CLI::App& program, Action& action) {
    CLI::App* command = program.add_subcommand("report", "Show a run, or compare several, as an HTML file");
    const auto arguments = std::make_shared<ReportArguments>();
    command->add_option("RUN_DIR", arguments->directories, "Model directories of the runs")
        ->required()
        ->type_name("DIR");
    command->add_option("--output", arguments->output, "The file to write (default for a single run: DIR/report.html)")
        ->type_name("FILE");
    add_number(*command, "--sentences", arguments->options.sentences, between(0, 1000000),
               "Maximum number of sentences to translate; 0 = none (default: 2000)");
    CLI::Option* source =
        command->add_option("--source", arguments->options.source, "Text to translate (default: the validation text)");
    source->type_name("FILE");
    command->add_option("--references", arguments->options.references, "The translation of --source")
        ->needs(source)
        ->type_name("FILE");
    add_machine_options(*command, arguments->machine);
    command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace softalign

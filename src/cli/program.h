#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace softalign {

// Each function adds a subcommand to the program. When chosen, the subcommand stores what to do in `action`, which
// returns the exit code. Failures are thrown as Error and caught in one place (cli/program.h).
using Action = std::function<int()>;

void add_train_command(CLI::App& program, Action& action);
void add_translate_command(CLI::App& program, Action& action);
void add_evaluate_command(CLI::App& program, Action& action);
void add_score_command(CLI::App& program, Action& action);
void add_shortlist_command(CLI::App& program, Action& action);
void add_vocab_command(CLI::App& program, Action& action);
void add_average_command(CLI::App& program, Action& action);
void add_quantize_command(CLI::App& program, Action& action);
void add_benchmark_command(CLI::App& program, Action& action);
void add_report_command(CLI::App& program, Action& action);
void add_serve_command(CLI::App& program, Action& action);
void add_launch_command(CLI::App& program, Action& action);
void add_info_command(CLI::App& program, Action& action);

// Throws Error(usage) where a launcher started this process as one of several (distributed/launch_environment.h): each
// would do the whole work.
void require_one_process(const char* command);

// Adds every command of the program. `action` is set when one is parsed.
void add_commands(CLI::App& program, Action& action);

// What the command line asks for: the action of its command, or to print help or the version. Throws Error(usage),
// which says where to find help, for everything that is wrong with it. REQUIRES: add_commands(program, action) was
// called; both live as long as the result.
Action parse_command_line(CLI::App& program, const Action& action, int argc, const char* const* argv);

// Runs the program once the process is set up: parses the command line, runs the command, and turns every failure into
// a line "softalign: error: ..." on stderr and an exit code (base/error.h). If the reader of the output has gone away,
// it prints nothing and returns that exit code. Throws nothing.
int run_program(int argc, char** argv);

}  // namespace softalign

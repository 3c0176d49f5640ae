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
void add_benchmark_command(CLI::App& program, Action& action);
void add_report_command(CLI::App& program, Action& action);
void add_info_command(CLI::App& program, Action& action);

}  // namespace softalign

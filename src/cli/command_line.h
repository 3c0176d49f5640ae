#pragma once

#include "cli/commands.h"

namespace CLI {
class App;
}

namespace softalign {

// Adds every command of the program. `action` is set when one is parsed.
void add_commands(CLI::App& program, Action& action);

// What the command line asks for: the action of its command, or to print help or the version. Throws Error(usage),
// which says where to find help, for everything that is wrong with it. REQUIRES: add_commands(program, action) was
// called; both live as long as the result.
Action parse_command_line(CLI::App& program, const Action& action, int argc, const char* const* argv);

}  // namespace softalign

#pragma once

namespace softalign {

// Runs the program once the process is set up: parses the command line, runs the command, and turns every failure into
// a line "softalign: error: ..." on stderr and an exit code (base/error.h). If the reader of the output has gone away,
// it prints nothing and returns that exit code. Throws nothing.
int run_program(int argc, char** argv);

}  // namespace softalign

#pragma once

namespace softalign {

// The program after the process is set up: parses the command line, runs the command, and turns every fault into a
// line "softalign: error: ..." on stderr and an exit code (base/error.h). Throws nothing.
int run_program(int argc, char** argv);

}  // namespace softalign

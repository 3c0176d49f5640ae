#pragma once

namespace softalign {

// The program after the process is set up: parses the command line, runs the command, and turns every fault into a
// line "softalign: error: ..." on stderr and an exit code (base/error.h); a reader of the output that has gone away is
// no fault and gives its code alone. Throws nothing.
int run_program(int argc, char** argv);

}  // namespace softalign

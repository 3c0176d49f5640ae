#include <csignal>

#include "cli/program.h"
#include "platform/process.h"

int main(int argc, char** argv) {
    softalign::set_up_process(argv);
    // A reader that goes away (`softalign translate ... | head`) is a failed write, so that files are left in order.
    std::signal(SIGPIPE, SIG_IGN);
    return softalign::run_program(argc, argv);
}

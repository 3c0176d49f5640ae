#include <spdlog/spdlog.h>

#include <csignal>
#include <iostream>

#include "base/temporary.h"
#include "cli/files.h"
#include "cli/program.h"
#include "platform/process.h"

int main(int argc, char** argv) {
    softalign::fill_standard_files();
    softalign::set_up_process(argv);
    // A reader that goes away (`softalign translate ... | head`) is a failed write, so that files are left in order; so
    // is a file that grows beyond what the shell allows (ulimit -f).
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    softalign::remove_temporaries_on_signals();
    const softalign::StandardStreams streams;
    const int code = softalign::run_program(argc, argv);
    std::cout.flush();
    std::cerr.flush();
    spdlog::shutdown();
    softalign::end_process(code);
}

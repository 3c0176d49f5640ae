// interposing_host MODEL: a program with an spdlog and an fmt of its own, which it exports, as a program does that was
// linked with -rdynamic or loads another version of them. Whoever calls them here has been bound to the wrong ones.
// Status 0 if softalign is not. The model has a shortlist.
#include <softalign/translator.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

[[noreturn]] void wrong_one(const char* name) {
    std::cerr << name << " of the host was called\n";
    std::abort();
}

}  // namespace

#if FMT_VERSION < 110000
std::string fmt::vformat(fmt::string_view, fmt::format_args) {
    wrong_one("fmt::vformat");
}
#endif

spdlog::logger* spdlog::default_logger_raw() {
    wrong_one("spdlog::default_logger_raw");
}

int main(int argc, char** argv) {
    if (argc != 2) {
        return 2;
    }
    try {
        softalign::Translator::Machine machine;
        machine.precision = softalign::Translator::Precision::bfloat16;
        const softalign::Translator translator(argv[1], machine);
        softalign::Translator::Options options;
        options.shortlist = true;
        options.max_source_length = 1;  // so that a sentence is cut
        return translator.translate({"the cat sees the dog"}, options).front().cut ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return EXIT_FAILURE;
    }
}

// A configuration, and after it lines "--set KEY=VALUE".
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.h"

#include "config/load.h"

namespace softalign {

namespace {

void run(std::string_view input) {
    constexpr std::string_view mark = "--set ";
    std::string yaml;
    std::vector<std::string> overrides;
    for (std::size_t begin = 0; begin < input.size();) {
        const std::size_t end = std::min(input.find('\n', begin), input.size() - 1) + 1;
        const std::string_view line = input.substr(begin, end - begin);
        if (line.substr(0, mark.size()) == mark) {
            const std::string_view rest = line.substr(mark.size());
            overrides.emplace_back(rest.substr(0, std::min(rest.find('\n'), rest.size())));
        } else {
            yaml += line;
        }
        begin = end;
    }
    Config config;
    if (!accepts([&] { config = parse_config(yaml, "config.yaml", "/", overrides); })) {
        return;
    }
    accepts([&] { require_training_keys(config, "config.yaml"); });
    const std::string written = to_yaml(config);
    require(to_yaml(parse_config(written, "written.yaml", "/", {})) == written, "what is written is read back");
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}

// The metrics.jsonl of a run, as far as the page that shows it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "fuzz.h"
#include "html/report.h"
#include "report/run_history.h"

namespace softalign {

namespace {

void run(std::string_view input) {
    MemoryFile memory;
    const std::string& path = memory.hold(input);
    RunHistory log;
    if (!accepts([&] { log = run_history(read_metrics(path)); })) {
        return;
    }
    log.best();
    log.mean_speed();
    Report report;
    report.title = "A run";
    report.runs.emplace_back();
    report.runs.front().name = "run";
    report.runs.front().curves = log.curves;
    report.runs.front().problems = log.problems;
    const std::string page = report_page(report);
    require(first_invalid_utf8(page) == 0, "a page is UTF-8");
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}

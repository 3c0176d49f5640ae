#pragma once

#include <string>
#include <vector>

#include "html/report.h"
#include "review/run_review.h"

namespace softalign {

// A report of one run, or of several side by side. Their translations are shown together if they are of the same text;
// a run that translated another text says so among its problems. Throws like review_run.
Report review_runs(const std::vector<std::string>& directories, const ReviewOptions& options);

// The report as an HTML file. Throws Error(output).
void write_report(const Report& report, const std::string& path);

}  // namespace softalign

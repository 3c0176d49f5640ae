#pragma once

#include <string>
#include <vector>

#include "html/report.h"
#include "review/run_review.h"

namespace softalign {

// A report of one run, or of several beside each other. Their translations are shown together where they are of the
// same text; runs that translated another one say so among their problems. Throws as review_run.
Report review_runs(const std::vector<std::string>& directories, const ReviewOptions& options);

// The report as an HTML file. Throws Error(output).
void write_report(const Report& report, const std::string& path);

}  // namespace softalign

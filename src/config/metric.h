#pragma once

#include "config/config.h"

namespace softalign {

// How the score of a metric is called in configurations, in metrics.jsonl and in the metadata of checkpoints.
const char* metric_key(Metric metric);
// And for people.
const char* metric_name(Metric metric);
// Whether translations are scored; the others are of the loss.
bool scores_translations(Metric metric);
bool higher_is_better(Metric metric);

}  // namespace softalign

#pragma once

#include "config/config.h"

namespace softalign {

// The name of a metric's score in configurations, in metrics.jsonl and in the metadata of checkpoints.
const char* metric_key(Metric metric);
// The name in messages.
const char* metric_name(Metric metric);
// Whether the metric scores translations; the others measure the loss.
bool scores_translations(Metric metric);
bool higher_is_better(Metric metric);

}  // namespace softalign

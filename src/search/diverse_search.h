#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "search/hypothesis.h"
#include "search/options.h"
#include "search/step_model.h"

namespace softalign {

// Adds the best of `more` that `hypotheses` lack, until there are n_best.
void add_missing(std::vector<Hypothesis> more, std::int64_t n_best, std::vector<Hypothesis>& hypotheses);

// Makes a model of some of the tasks of a batch: of those with these numbers, in this order.
using ModelOfTasks = std::function<std::unique_ptr<StepModel>(const std::vector<std::size_t>& numbers)>;

// What search() finds for all tasks. The groups of a diverse beam may find the same outputs; a sentence for which they
// have fewer than n_best together is searched again without groups, and the best outputs that it lacks follow. So it
// has n_best if a search without groups finds as many.
std::vector<std::vector<Hypothesis>> diverse_search(const ModelOfTasks& model_of, const std::vector<SearchTask>& tasks,
                                                    const SearchOptions& options);

}  // namespace softalign

#include "search/sentence_beam.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "search/search.h"

namespace softalign {

void add_missing(std::vector<Hypothesis> more, std::int64_t n_best, std::vector<Hypothesis>& hypotheses) {
    for (Hypothesis& hypothesis : more) {
        const bool known = std::any_of(hypotheses.begin(), hypotheses.end(),
                                       [&](const Hypothesis& other) { return other.ids == hypothesis.ids; });
        if (!known && static_cast<std::int64_t>(hypotheses.size()) < n_best) {
            hypotheses.push_back(std::move(hypothesis));
        }
    }
}

std::vector<std::vector<Hypothesis>> diverse_search(const ModelOfTasks& model_of, const std::vector<SearchTask>& tasks,
                                                    const SearchOptions& options) {
    std::vector<std::size_t> all(tasks.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<std::vector<Hypothesis>> found = search(*model_of(all), tasks, options);
    std::vector<std::size_t> lacking;
    std::vector<SearchTask> again;
    for (std::size_t i = 0; options.groups > 1 && i < found.size(); ++i) {
        if (static_cast<std::int64_t>(found[i].size()) < options.n_best) {
            lacking.push_back(i);
            again.push_back(tasks[i]);
        }
    }
    if (lacking.empty()) {
        return found;
    }
    SearchOptions whole = options;
    whole.groups = 1;
    whole.diversity = 0.0;
    std::vector<std::vector<Hypothesis>> more = search(*model_of(lacking), again, whole);
    for (std::size_t i = 0; i < lacking.size(); ++i) {
        add_missing(std::move(more[i]), options.n_best, found[lacking[i]]);
    }
    return found;
}

}  // namespace softalign

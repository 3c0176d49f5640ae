#include "platform/numa.h"

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "platform/processor.h"

namespace softalign {

Processors parse_processors(const std::string& list) {
    Processors processors;
    std::istringstream ranges(list);
    for (std::string range; std::getline(ranges, range, ',');) {
        std::istringstream text(range);
        int first = 0;
        int last = 0;
        char dash = '-';
        if (!(text >> first)) {
            return {};
        }
        last = first;
        if (text >> dash && (dash != '-' || !(text >> last))) {
            return {};
        }
        for (int cpu = first; cpu <= last; ++cpu) {
            processors.push_back(cpu);
        }
    }
    return processors;
}

std::vector<Processors> processors_by_node(const std::string& folder) {
    Processors allowed = allowed_processors();
    std::vector<Processors> nodes;
    for (const int node : parse_processors(first_line_of_file(folder + "/online"))) {
        Processors all = parse_processors(first_line_of_file(folder + "/node" + std::to_string(node) + "/cpulist"));
        std::sort(all.begin(), all.end());
        Processors usable;
        std::set_intersection(allowed.begin(), allowed.end(), all.begin(), all.end(), std::back_inserter(usable));
        if (!usable.empty()) {
            nodes.push_back(std::move(usable));
        }
    }
    return nodes.empty() ? std::vector<Processors>{std::move(allowed)} : nodes;
}

std::vector<Processors> worker_places(int workers, const Share& process, const std::vector<Processors>& nodes) {
    std::vector<Processors> places(static_cast<std::size_t>(workers));
    std::int64_t processors = 0;
    for (const Processors& node : nodes) {
        processors += static_cast<std::int64_t>(node.size());
    }
    const std::int64_t all_workers = std::int64_t{workers} * process.count;
    if (nodes.size() < 2 || all_workers < processors) {
        return places;
    }
    for (int worker = 0; worker < workers; ++worker) {
        // The processor that is as far along the nodes as this worker is among all of them.
        std::int64_t processor = (std::int64_t{workers} * process.index + worker) * processors / all_workers;
        auto node = nodes.begin();
        while (processor >= static_cast<std::int64_t>(node->size())) {
            processor -= static_cast<std::int64_t>(node->size());
            ++node;
        }
        places[static_cast<std::size_t>(worker)] = *node;
    }
    return places;
}

void stay_on(const Processors& processors) {
    if (processors.empty()) {
        return;
    }
    const auto most = static_cast<std::size_t>(*std::max_element(processors.begin(), processors.end())) + 1;
    struct Free {
        void operator()(cpu_set_t* set) const { CPU_FREE(set); }
    };
    const std::unique_ptr<cpu_set_t, Free> set(CPU_ALLOC(most));
    if (set == nullptr) {
        return;
    }
    const std::size_t bytes = CPU_ALLOC_SIZE(most);
    CPU_ZERO_S(bytes, set.get());
    for (const int processor : processors) {
        CPU_SET_S(static_cast<std::size_t>(processor), bytes, set.get());
    }
    static_cast<void>(::sched_setaffinity(0, bytes, set.get()));  // without it, all is right, if slower
}

}  // namespace softalign

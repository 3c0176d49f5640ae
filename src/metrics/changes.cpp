#include "metrics/breakdown.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "metrics/format.h"

namespace softalign {

namespace {

// How much better `after` is.
double gain_of(const TextMetric& metric, const Change& change) {
    return metric.higher_is_better() ? change.after - change.before : change.before - change.after;
}

std::vector<Change> greatest(std::vector<Change> changes, std::size_t count, double sign, const TextMetric& metric) {
    const auto gain = [&](const Change& change) { return sign * gain_of(metric, change); };
    changes.erase(
        std::remove_if(changes.begin(), changes.end(), [&](const Change& change) { return gain(change) <= 0.0; }),
        changes.end());
    std::stable_sort(changes.begin(), changes.end(),
                     [&](const Change& a, const Change& b) { return gain(a) > gain(b); });
    changes.resize(std::min(changes.size(), count));
    return changes;
}

std::string shown(const Change& change, const ScoredSystem& baseline, const ScoredSystem& system,
                  const ReferenceSet& references, const std::vector<std::string>* source, int digits) {
    const std::size_t i = change.sentence;
    std::string text = "line " + std::to_string(i + 1) + ": " + fixed(change.before, digits) + " -> " +
                       fixed(change.after, digits) + "\n";
    if (source != nullptr) {
        text += "  source     " + (*source)[i] + "\n";
    }
    for (const std::string_view reference : references.sentence(i)) {
        text += "  reference  " + std::string(reference) + "\n";
    }
    return text + "  before     " + (*baseline.lines)[i] + "\n  after      " + (*system.lines)[i] + "\n";
}

nlohmann::ordered_json as_json(const Change& change, const ScoredSystem& baseline, const ScoredSystem& system,
                               const ReferenceSet& references, const std::vector<std::string>* source) {
    const std::size_t i = change.sentence;
    nlohmann::ordered_json entry{{"line", i + 1}, {"before", change.before}, {"after", change.after}};
    if (source != nullptr) {
        entry["source"] = (*source)[i];
    }
    entry["references"] = references.sentence(i);
    entry["baseline"] = (*baseline.lines)[i];
    entry["system"] = (*system.lines)[i];
    return entry;
}

}  // namespace

Changes greatest_changes(const TextMetric& metric, const Statistics& baseline, const Statistics& system,
                         std::size_t count) {
    std::vector<Change> changes;
    for (std::size_t i = 0; i < system.sentences(); ++i) {
        changes.push_back({i, metric.score(baseline.row(i)), metric.score(system.row(i))});
    }
    return {greatest(changes, count, 1.0, metric), greatest(changes, count, -1.0, metric)};
}

std::string format_changes(const Changes& changes, const TextMetric& metric, const ScoredSystem& baseline,
                           const ScoredSystem& system, const ReferenceSet& references,
                           const std::vector<std::string>* source, int digits) {
    std::string text;
    const auto add = [&](const char* verb, const std::vector<Change>& list) {
        text += "Sentences that " + std::string(verb) + " most from " + terminal_text(baseline.name) + " to " +
                terminal_text(system.name) + " (" + metric.name() + " of the sentence)\n";
        text += list.empty() ? "none\n" : "";
        for (const Change& change : list) {
            text += shown(change, baseline, system, references, source, digits);
        }
    };
    add("gained", changes.gained);
    text += "\n";
    add("lost", changes.lost);
    return text;
}

nlohmann::ordered_json changes_as_json(const Changes& changes, const TextMetric& metric, const ScoredSystem& baseline,
                                       const ScoredSystem& system, const ReferenceSet& references,
                                       const std::vector<std::string>* source) {
    nlohmann::ordered_json report{{"baseline", baseline.name},
                                  {"system", system.name},
                                  {"metric", metric.name()},
                                  {"gained", nlohmann::ordered_json::array()},
                                  {"lost", nlohmann::ordered_json::array()}};
    for (const Change& change : changes.gained) {
        report["gained"].push_back(as_json(change, baseline, system, references, source));
    }
    for (const Change& change : changes.lost) {
        report["lost"].push_back(as_json(change, baseline, system, references, source));
    }
    return report;
}

}  // namespace softalign

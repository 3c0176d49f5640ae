#include "metrics/statistics.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "metrics/parallel.h"

namespace softalign {

namespace {

void check_streams(const std::vector<std::vector<std::string>>& streams) {
    if (streams.empty()) {
        throw Error(ExitCode::data, "scoring needs at least one reference stream, and there is none");
    }
    for (std::size_t i = 1; i < streams.size(); ++i) {
        if (streams[i].size() != streams[0].size()) {
            throw Error(ExitCode::data, "references differ in length: the first has " +
                                            counted(streams[0].size(), "line") + ", reference " +
                                            std::to_string(i + 1) + " has " + std::to_string(streams[i].size()));
        }
    }
}

}  // namespace

ReferenceSet::ReferenceSet(const std::vector<std::vector<std::string>>& streams, EmptyReferences empty) {
    check_streams(streams);
    sentences_.resize(streams[0].size());
    for (std::size_t i = 0; i < sentences_.size(); ++i) {
        for (const std::vector<std::string>& stream : streams) {
            if (!stream[i].empty() || empty == EmptyReferences::count) {
                sentences_[i].emplace_back(stream[i]);
            }
        }
        if (sentences_[i].empty()) {
            throw Error(ExitCode::data,
                        "line " + std::to_string(i + 1) + " has no reference: it is empty in every reference file");
        }
    }
    count_ = sentences_.empty() ? 0 : static_cast<std::int64_t>(sentences_[0].size());
    for (const std::vector<std::string_view>& sentence : sentences_) {
        count_ = static_cast<std::int64_t>(sentence.size()) == count_ ? count_ : 0;
    }
}

ReferenceSet ReferenceSet::only(std::size_t index) const {
    ReferenceSet set;
    set.sentences_.push_back(sentences_[index]);
    set.count_ = static_cast<std::int64_t>(sentences_[index].size());
    return set;
}

std::vector<double> Statistics::sums() const {
    std::vector<std::size_t> all(sentences());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return sums(all);
}

std::vector<double> Statistics::sums(const std::vector<std::size_t>& sentences) const {
    std::vector<double> total(width_, 0.0);
    for (const std::size_t sentence : sentences) {
        const double* values = row(sentence);
        for (std::size_t i = 0; i < width_; ++i) {
            total[i] += values[i];
        }
    }
    return total;
}

std::vector<Statistics> collect_statistics(const TextMetric& metric, const ReferenceSet& references,
                                           const std::vector<const std::vector<std::string>*>& systems, int threads) {
    for (const std::vector<std::string>* system : systems) {
        if (system->empty()) {
            throw Error(ExitCode::data, "scoring needs at least one hypothesis, and there is none");
        }
        if (system->size() != references.size()) {
            throw Error(ExitCode::data, "scoring needs a reference for every hypothesis: there are " +
                                            std::to_string(system->size()) + " hypotheses and " +
                                            std::to_string(references.size()) + " references");
        }
    }
    std::vector<Statistics> result(systems.size(), Statistics(references.size(), metric.width()));
    // All systems of a sentence together: its references are prepared once.
    in_parallel(references.size(), threads, [&](std::size_t begin, std::size_t end) {
        const std::unique_ptr<SentenceScorer> scorer = metric.scorer();
        for (std::size_t i = begin; i < end; ++i) {
            scorer->set_references(references.sentence(i));
            for (std::size_t system = 0; system < systems.size(); ++system) {
                scorer->compare((*systems[system])[i], result[system].row(i));
            }
        }
    });
    return result;
}

Statistics system_statistics(const TextMetric& metric, const ReferenceSet& references,
                             const std::vector<std::string>& hypotheses, int threads) {
    return collect_statistics(metric, references, {&hypotheses}, threads).front();
}

}  // namespace softalign

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/text_metric.h"

namespace softalign {

// What an empty line of a reference stream is: a reference without words, as for sacreBLEU's command line, or a
// reference that is not there, as None is for its Python interface.
enum class EmptyReferences { count, missing };

// The references of all sentences.
class ReferenceSet {
public:
    // streams: one vector a reference stream. Keeps views of them. Throws Error(data) where there is no stream, where
    // streams differ in length, and where a sentence has no reference, which it names.
    ReferenceSet(const std::vector<std::vector<std::string>>& streams, EmptyReferences empty);

    std::size_t size() const { return sentences_.size(); }
    const std::vector<std::string_view>& sentence(std::size_t index) const { return sentences_[index]; }
    // References a sentence; 0 = not the same for all.
    std::int64_t count() const { return count_; }
    // Those of one sentence alone.
    ReferenceSet only(std::size_t index) const;

private:
    ReferenceSet() = default;

    std::vector<std::vector<std::string_view>> sentences_;
    std::int64_t count_ = 0;
};

// The sufficient statistics of a system: a row for each sentence.
class Statistics {
public:
    Statistics(std::size_t sentences, std::size_t width) : width_(width), values_(sentences * width, 0.0) {}

    std::size_t sentences() const { return width_ == 0 ? 0 : values_.size() / width_; }
    std::size_t width() const { return width_; }
    const double* row(std::size_t sentence) const { return values_.data() + sentence * width_; }
    double* row(std::size_t sentence) { return values_.data() + sentence * width_; }
    // Added up in the order of the sentences.
    std::vector<double> sums() const;
    std::vector<double> sums(const std::vector<std::size_t>& sentences) const;

private:
    std::size_t width_;
    std::vector<double> values_;
};

// Compares the hypotheses of several systems with the references. The result does not depend on the number of threads;
// 0 = as many as the processor runs at once. Throws Error(data) where a system has no sentence, or another number of
// them than the references.
std::vector<Statistics> collect_statistics(const TextMetric& metric, const ReferenceSet& references,
                                           const std::vector<const std::vector<std::string>*>& systems,
                                           int threads = 0);
Statistics system_statistics(const TextMetric& metric, const ReferenceSet& references,
                             const std::vector<std::string>& hypotheses, int threads = 0);

}  // namespace softalign

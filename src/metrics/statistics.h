#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/text_metric.h"

namespace softalign {

// The meaning of an empty line in a reference stream: a reference without words, as on sacreBLEU's command line, or a
// missing reference, as None in its Python interface.
enum class EmptyReferences { count, missing };

// The references of all sentences.
class ReferenceSet {
public:
    // streams: one vector per reference stream. Keeps views of them. Throws Error(data) if there is no stream, if
    // streams differ in length, or if a sentence has no reference (naming it).
    ReferenceSet(const std::vector<std::vector<std::string>>& streams, EmptyReferences empty);

    std::size_t size() const { return sentences_.size(); }
    const std::vector<std::string_view>& sentence(std::size_t index) const { return sentences_[index]; }
    // The number of references per sentence; 0 = it varies.
    std::int64_t count() const { return count_; }
    // The references of one sentence.
    ReferenceSet only(std::size_t index) const;

private:
    ReferenceSet() = default;

    std::vector<std::vector<std::string_view>> sentences_;
    std::int64_t count_ = 0;
};

// The sufficient statistics of a system: one row per sentence.
class Statistics {
public:
    Statistics(std::size_t sentences, std::size_t width) : width_(width), values_(sentences * width, 0.0) {}

    std::size_t sentences() const { return width_ == 0 ? 0 : values_.size() / width_; }
    std::size_t width() const { return width_; }
    const double* row(std::size_t sentence) const { return values_.data() + sentence * width_; }
    double* row(std::size_t sentence) { return values_.data() + sentence * width_; }
    // The sums, added up in sentence order.
    std::vector<double> sums() const;
    std::vector<double> sums(const std::vector<std::size_t>& sentences) const;

private:
    std::size_t width_;
    std::vector<double> values_;
};

// Compares the hypotheses of several systems with the references. The result does not depend on the number of threads;
// 0 = as many as the processor has hardware threads. Throws Error(data) if a system has no sentences, or not as many as
// the references.
std::vector<Statistics> collect_statistics(const TextMetric& metric, const ReferenceSet& references,
                                           const std::vector<const std::vector<std::string>*>& systems,
                                           int threads = 0);
Statistics system_statistics(const TextMetric& metric, const ReferenceSet& references,
                             const std::vector<std::string>& hypotheses, int threads = 0);

}  // namespace softalign

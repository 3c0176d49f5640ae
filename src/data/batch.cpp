#include "data/batch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace softalign {

namespace {

std::int64_t length_of(const std::vector<std::int32_t>& pieces) {
    return static_cast<std::int64_t>(pieces.size());
}

// An empty rectangle for rows of the given lengths, end-of-sentence included; B rows, nothing in them but padding.
// `depth`: of features, 0 for text.
Batch padded_batch(std::vector<std::int64_t> source_lengths, std::vector<std::int64_t> target_lengths,
                   std::int64_t depth, const SpecialIdPair& special) {
    Batch batch;
    batch.sentences = static_cast<std::int64_t>(source_lengths.size());
    batch.source_lengths = std::move(source_lengths);
    batch.target_lengths = std::move(target_lengths);
    if (batch.sentences > 0) {
        batch.source_width = *std::max_element(batch.source_lengths.begin(), batch.source_lengths.end());
        batch.target_width = *std::max_element(batch.target_lengths.begin(), batch.target_lengths.end());
    }
    batch.depth = depth;
    const auto positions = static_cast<std::size_t>(batch.sentences * batch.source_width);
    if (depth > 0) {
        batch.features.assign(positions * static_cast<std::size_t>(depth), 0.0F);
    } else {
        batch.source.assign(positions, special.source_pad);
    }
    batch.target_in.assign(static_cast<std::size_t>(batch.sentences * batch.target_width), special.target_pad);
    batch.target_out = batch.target_in;
    return batch;
}

// What a sentence costs, in units of the work for a source word. A target word costs about three times as much: the
// recurrent part is alike on both sides, attention and the output layer come on top.
std::int64_t cost_of(const Batch& batch, std::int64_t row) {
    const auto at = static_cast<std::size_t>(row);
    return batch.source_lengths[at] + 3 * batch.target_lengths[at];
}

// Where the parts end if each takes as many neighbouring rows as cost at most `limit` (or one row, whatever it costs).
std::vector<std::int64_t> ends_within(const Batch& batch, std::int64_t limit) {
    std::vector<std::int64_t> ends;
    std::int64_t cost = 0;
    for (std::int64_t row = 0; row < batch.sentences; ++row) {
        const std::int64_t of_row = cost_of(batch, row);
        if (cost > 0 && cost + of_row > limit) {
            ends.push_back(row);
            cost = 0;
        }
        cost += of_row;
    }
    ends.push_back(batch.sentences);
    return ends;
}

}  // namespace

std::int64_t Batch::source_tokens() const {
    return std::accumulate(source_lengths.begin(), source_lengths.end(), std::int64_t{0});
}

std::int64_t Batch::target_tokens() const {
    return std::accumulate(target_lengths.begin(), target_lengths.end(), std::int64_t{0});
}

Batch make_batch(const std::vector<Example>& examples, const SpecialIdPair& special) {
    std::vector<std::int64_t> source_lengths;
    std::vector<std::int64_t> target_lengths;
    for (const Example& example : examples) {
        const bool is_text = example.features.depth == 0;
        source_lengths.push_back(is_text ? length_of(example.source) + 1 : example.features.grid.positions());
        target_lengths.push_back(length_of(example.target) + 1);
    }
    const std::int64_t depth = examples.empty() ? 0 : examples.front().features.depth;
    Batch batch = padded_batch(std::move(source_lengths), std::move(target_lengths), depth, special);
    for (std::size_t row = 0; row < examples.size(); ++row) {
        const Example& example = examples[row];
        batch.ids.push_back(example.id);
        const auto offset = static_cast<std::int64_t>(row);
        if (depth > 0) {
            batch.grids.push_back(example.features.grid);
            std::copy(example.features.values.begin(), example.features.values.end(),
                      batch.features.begin() + offset * batch.source_width * depth);
        } else {
            auto source = batch.source.begin() + offset * batch.source_width;
            *std::copy(example.source.begin(), example.source.end(), source) = special.source_eos;
        }
        auto target_in = batch.target_in.begin() + offset * batch.target_width;
        *target_in = special.target_bos;
        std::copy(example.target.begin(), example.target.end(), target_in + 1);
        auto target_out = batch.target_out.begin() + offset * batch.target_width;
        *std::copy(example.target.begin(), example.target.end(), target_out) = special.target_eos;
    }
    if (std::any_of(examples.begin(), examples.end(), [](const Example& one) { return !one.alignment.empty(); })) {
        std::transform(examples.begin(), examples.end(), std::back_inserter(batch.alignments),
                       [](const Example& one) { return one.alignment; });
    }
    return batch;
}

Batch rows_of(const Batch& batch, std::int64_t begin, std::int64_t end, const SpecialIdPair& special) {
    const auto part_of = [&](const auto& values) {
        return std::decay_t<decltype(values)>(values.begin() + begin, values.begin() + end);
    };
    Batch part = padded_batch(part_of(batch.source_lengths), part_of(batch.target_lengths), batch.depth, special);
    part.ids = part_of(batch.ids);
    const auto copy_row = [&](const auto& from, std::int64_t from_width, auto& to, std::int64_t to_width,
                              std::int64_t row) {
        std::copy_n(from.begin() + (begin + row) * from_width, to_width, to.begin() + row * to_width);
    };
    if (batch.depth > 0) {
        part.grids = part_of(batch.grids);
    }
    if (!batch.alignments.empty()) {
        part.alignments = part_of(batch.alignments);
    }
    for (std::int64_t row = 0; row < part.sentences; ++row) {
        if (batch.depth > 0) {
            copy_row(batch.features, batch.source_width * batch.depth, part.features, part.source_width * batch.depth,
                     row);
        } else {
            copy_row(batch.source, batch.source_width, part.source, part.source_width, row);
        }
        copy_row(batch.target_in, batch.target_width, part.target_in, part.target_width, row);
        copy_row(batch.target_out, batch.target_width, part.target_out, part.target_width, row);
    }
    return part;
}

std::vector<std::int64_t> part_ends(const Batch& batch, std::int64_t count) {
    if (batch.sentences == 0) {
        return {};
    }
    count = std::clamp<std::int64_t>(count, 1, batch.sentences);
    // The smallest cost of the dearest part that `count` parts allow, by bisection: filling part after part is best for
    // a given limit, because a part never grows cheaper by another row.
    std::int64_t low = 0;
    std::int64_t high = batch.source_tokens() + 3 * batch.target_tokens();
    while (high - low > 1) {
        const std::int64_t limit = low + (high - low) / 2;
        const bool enough = static_cast<std::int64_t>(ends_within(batch, limit).size()) <= count;
        (enough ? high : low) = limit;
    }
    return ends_within(batch, high);
}

std::vector<Batch> cut_batch(const Batch& batch, std::int64_t count, const SpecialIdPair& special) {
    std::vector<Batch> parts;
    std::int64_t begin = 0;
    for (const std::int64_t end : part_ends(batch, count)) {
        parts.push_back(rows_of(batch, begin, end, special));
        begin = end;
    }
    return parts;
}

}  // namespace softalign

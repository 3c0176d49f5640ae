#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace softalign {

// Counts how often each target piece translates each source piece. The counts are fractional: each target piece is
// distributed over the source pieces by its attention. Also counts how often each target piece occurs.
class LexicalCounts {
public:
    // The number of cells kept per source piece. When there are more, the smaller half is dropped, so that memory is
    // bounded for texts of any length.
    static constexpr std::size_t most_cells = 2048;

    LexicalCounts(std::int32_t source_size, std::int32_t target_size);

    // Adds a fraction, above 0, of one target piece.
    void add(std::int32_t source, std::int32_t target, double part);
    // Adds one target piece.
    void see(std::int32_t target) { ++seen_[static_cast<std::size_t>(target)]; }

    struct Translation {
        std::int32_t target = 0;
        double probability = 0.0;  // p(target | source): its share of all parts of the source piece
    };

    // The most probable of a source piece, at most `count`, best first; equal ones by id.
    std::vector<Translation> best(std::int32_t source, std::size_t count) const;
    // The probability of one target piece; 0 if it was never counted.
    double probability(std::int32_t source, std::int32_t target) const;
    // The pieces that were seen most often, at most `count`, best first; equal ones by id. What was never seen is not
    // among them.
    std::vector<std::int32_t> most_frequent(std::size_t count) const;

private:
    struct Row {
        std::unordered_map<std::int32_t, double> cells;
        double total = 0.0;  // of all that was ever added
    };

    std::vector<Row> rows_;
    std::vector<std::int64_t> seen_;
};

}  // namespace softalign

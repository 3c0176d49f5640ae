#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace softalign {

// How often which target piece was written for which source piece, in parts of a piece: each target piece is shared out
// over the source pieces by their attention. And how often each target piece was written at all.
class LexicalCounts {
public:
    // Cells of a source piece that are held; when there are more, the lesser half of them is given up, so that memory
    // stays in bounds however long the text.
    static constexpr std::size_t most_cells = 2048;

    LexicalCounts(std::int32_t source_size, std::int32_t target_size);

    // A part, above 0, of one target piece.
    void add(std::int32_t source, std::int32_t target, double part);
    // A target piece as a whole.
    void see(std::int32_t target) { ++seen_[static_cast<std::size_t>(target)]; }

    struct Translation {
        std::int32_t target = 0;
        double probability = 0.0;  // p(target | source): its share of all parts of the source piece
    };

    // The most probable of a source piece, at most `count`, best first; equal ones by id.
    std::vector<Translation> best(std::int32_t source, std::size_t count) const;
    // One of them; 0 where there is none.
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

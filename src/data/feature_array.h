#pragma once

#include <cstdint>
#include <string>

#include "base/grid.h"
#include "data/batch.h"
#include "data/npy.h"

namespace softalign {

// The array that stands for a sentence of a source of features, by its name: "x.npy" for a file of [S,D] or [H,W,D], or
// "x.npy[3]" for the element 3, counted from 0, of a file of [N,S,D] or [N,H,W,D].
class FeatureArray {
public:
    // Maps the file; reads no element. Throws Error(data) with the name: what read_npy refuses, a shape that is none of
    // these, an element that does not exist, more than most_positions positions or most_depth numbers for each.
    explicit FeatureArray(const std::string& name);

    const std::string& name() const { return name_; }
    const Grid& grid() const { return grid_; }  // that of [S,D] has one row
    std::int64_t depth() const { return depth_; }

    // Throws Error(data) with the name and the index of an element that is NaN or infinite.
    Features read() const;

    static constexpr std::int64_t most_positions = 1 << 24;
    static constexpr std::int64_t most_depth = 65536;

private:
    std::string name_;
    NpyArray file_;
    Grid grid_;
    std::int64_t depth_ = 0;
    std::int64_t begin_ = 0;  // of the elements of the file
};

// What reads the array of that depth: throws Error(data) with the name if it has another one.
void require_depth(const FeatureArray& array, std::int64_t depth);

}  // namespace softalign

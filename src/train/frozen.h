#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/flat_parameters.h"

namespace softalign {

// Elements [begin, begin + count) of a flat vector.
struct FlatRange {
    std::int64_t begin = 0;
    std::int64_t count = 0;
};

// The parts of a flat vector that training leaves as they are (training.freeze).
class FrozenParts {
public:
    // A name is that of a tensor, or of a part of the model, which has all tensors whose names begin with it and a dot;
    // "*" stands for any characters. Throws Error(configuration) for a name that fits no tensor, with all there are,
    // and where no tensor is left to train.
    FrozenParts(const std::vector<std::string>& names, const FlatParameters& parameters);

    // What of a range is frozen, and the rest of it, in order.
    std::vector<FlatRange> inside(const FlatRange& range) const;
    std::vector<FlatRange> outside(const FlatRange& range) const;

    // "3 of 25 tensors, 1024000 of 2048512 weights"; empty where none is frozen.
    const std::string& description() const { return description_; }

private:
    std::vector<FlatRange> ranges_;  // ascending
    std::string description_;
};

}  // namespace softalign

#pragma once

#include <cstdint>
#include <string>

#include "base/grid.h"
#include "base/written_bytes.h"
#include "data/corpus.h"
#include "data/feature_array.h"

namespace softalign {

// The source side of a corpus whose sentences are arrays: their names and grids. The numbers stay in their files.
class FeatureSide {
public:
    // Throws Error(output).
    explicit FeatureSide(const CorpusStorage& storage);

    // Reads the array, which must have finite numbers. Throws Error: data, output.
    void add(const FeatureArray& array);
    // Ends the writing; call it before reading. Throws Error(output).
    void finish();

    std::int64_t length(std::int64_t index) const { return grid(index).positions(); }
    // Opens the file again. Throws Error(data) if it cannot be read any more, or has another shape now.
    Features features(std::int64_t index) const;

    // CRC-32C of the grids, depths and numbers that were added.
    std::uint32_t checksum() const { return checksum_; }

private:
    const Grid& grid(std::int64_t index) const;
    std::string name(std::int64_t index) const;

    WrittenBytes names_;
    WrittenBytes name_ends_;  // uint64 per array: number of bytes up to its end
    WrittenBytes grids_;      // a Grid per array
    std::int64_t depth_ = 0;  // of all
    std::uint32_t checksum_ = 0;
};

}  // namespace softalign

#include "data/feature_side.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "base/crc32c.h"
#include "base/error.h"
#include "data/npy.h"

namespace softalign {

static_assert(std::is_trivially_copyable_v<Grid>, "grids are kept as bytes");

FeatureSide::FeatureSide(const CorpusStorage& storage)
    : names_(storage.directory), name_ends_(storage.directory), grids_(storage.directory) {}

void FeatureSide::add(const FeatureArray& array) {
    const Features features = array.read();
    depth_ = features.depth;
    const std::int64_t shape[] = {features.grid.height, features.grid.width, features.depth};
    checksum_ = crc32c(reinterpret_cast<const char*>(features.values.data()), features.values.size() * sizeof(float),
                       crc32c(reinterpret_cast<const char*>(shape), sizeof shape, checksum_));
    names_.append(array.name().data(), array.name().size());
    const std::uint64_t end = names_.size();
    name_ends_.append(&end, sizeof end);
    grids_.append(&features.grid, sizeof features.grid);
}

void FeatureSide::finish() {
    for (WrittenBytes* bytes : {&names_, &name_ends_, &grids_}) {
        bytes->finish();
    }
}

const Grid& FeatureSide::grid(std::int64_t index) const {
    return reinterpret_cast<const Grid*>(grids_.data())[index];
}

std::string FeatureSide::name(std::int64_t index) const {
    const auto [begin, end] = range_of(name_ends_, index);
    return {names_.data() + begin, names_.data() + end};
}

Features FeatureSide::features(std::int64_t index) const {
    const FeatureArray array(name(index));
    if (array.grid() != grid(index) || array.depth() != depth_) {
        throw Error(ExitCode::data, array.name() + ": its shape was " +
                                        shape_text({grid(index).height, grid(index).width, depth_}) +
                                        " when the corpus was read, and is " +
                                        shape_text({array.grid().height, array.grid().width, array.depth()}) +
                                        " now; leave the files as they are while training reads them");
    }
    return array.read();
}

}  // namespace softalign

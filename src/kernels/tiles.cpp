#include "kernels/tiles.h"

#include <atomic>
#include <cstdint>

#include "kernels/instruction_sets.h"

namespace softalign {

#ifdef SOFTALIGN_X86

namespace {

// The operand of the instruction that configures the tiles.
struct alignas(64) Configuration {
    std::uint8_t palette = 1;
    std::uint8_t start_row = 0;
    std::uint8_t reserved[14] = {};
    std::uint16_t bytes_of_row[16] = {};
    std::uint8_t rows[16] = {};
};

__attribute__((target("amx-tile"))) void configure(const Configuration& configuration) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    _tile_loadconfig(&configuration);
}

__attribute__((target("amx-tile"))) void release() {
    _tile_release();
}

}  // namespace

TileScope::TileScope(bool by_tiles, std::int64_t units) : by_tiles_(by_tiles) {
    if (!by_tiles) {
        return;
    }
    Configuration configuration;
    const auto set = [&](int tile, std::int64_t rows, std::int64_t columns) {
        configuration.rows[tile] = static_cast<std::uint8_t>(rows);
        configuration.bytes_of_row[tile] = static_cast<std::uint16_t>(4 * columns);
    };
    for (int tile = 0; tile <= 4; ++tile) {
        set(tile, tile_rows, tile_units);
    }
    if (const std::int64_t rest = units % tile_units; rest > 0) {
        set(5, tile_rows, rest);
        set(6, rest, tile_units);
    }
    configure(configuration);
}

TileScope::~TileScope() {
    if (by_tiles_) {
        release();
    }
}

#else

TileScope::TileScope(bool by_tiles, std::int64_t /*units*/) : by_tiles_(by_tiles) {}

TileScope::~TileScope() = default;

#endif

}  // namespace softalign

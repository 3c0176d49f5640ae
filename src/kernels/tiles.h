#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "kernels/bfloat16.h"
#include "kernels/instruction_sets.h"
#include "kernels/product_blocks.h"

namespace softalign {

// The tiles of Intel's AMX: registers of 16 rows of 16 units, of which one instruction multiplies two and adds the
// product to a third.

constexpr std::int64_t tile_rows = 16;
constexpr std::int64_t tile_units = 16;

// While it lives, this thread may call kernels that use tiles (if may_use_amx()), for blocks whose number of units is a
// multiple of 16 or, apart from that, `units`. With `by_tiles` false it does nothing.
class TileScope {
public:
    TileScope(bool by_tiles, std::int64_t units);
    ~TileScope();
    TileScope(const TileScope&) = delete;
    TileScope& operator=(const TileScope&) = delete;

private:
    [[maybe_unused]] bool by_tiles_;
};

#ifdef SOFTALIGN_X86

// Tiles 0 to 2 hold the sums of 16 rows and 48 columns. Tiles 3 and 4 are of a and of b, 5 and 6 for the units at the
// end that do not fill a tile. Arrays have elements of 4 bytes, and rows `stride` elements apart.
constexpr std::int64_t bytes_of_tile = 64;

// GCC does not know that loading and storing tiles reads and writes memory.
SOFTALIGN_INLINE void fence() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

[[gnu::target("amx-tile"), gnu::always_inline]] inline void clear_tiles() {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
}

[[gnu::target("amx-tile"), gnu::always_inline]] inline void load_tiles(const void* sums, std::int64_t stride) {
    const auto* from = static_cast<const char*>(sums);
    fence();
    _tile_loadd(0, from, 4 * stride);
    _tile_loadd(1, from + bytes_of_tile, 4 * stride);
    _tile_loadd(2, from + 2 * bytes_of_tile, 4 * stride);
}

[[gnu::target("amx-tile"), gnu::always_inline]] inline void store_tiles(void* sums, std::int64_t stride) {
    auto* to = static_cast<char*>(sums);
    _tile_stored(0, to, 4 * stride);
    _tile_stored(1, to + bytes_of_tile, 4 * stride);
    _tile_stored(2, to + 2 * bytes_of_tile, 4 * stride);
    fence();
}

// Macros, as the numbers of tiles are literals.
#define SOFTALIGN_MULTIPLY_TILES(sums, of_a, of_b)                                      \
    do {                                                                                \
        if constexpr (std::is_same_v<Unit, Bfloat16Pair>) {                             \
            _tile_dpbf16ps(sums, of_a, of_b);                                           \
        } else {                                                                        \
            _tile_dpbsud(sums, of_a, of_b); /* signed bytes of a, unsigned ones of b */ \
        }                                                                               \
    } while (false)
#define SOFTALIGN_ADD_TILES(of_a, of_b)                         \
    do {                                                        \
        _tile_loadd(of_a, a, 4 * a_stride);                     \
        _tile_loadd(of_b, b, 4 * panel_width);                  \
        SOFTALIGN_MULTIPLY_TILES(0, of_a, of_b);                \
        _tile_loadd(of_b, b + tile_units, 4 * panel_width);     \
        SOFTALIGN_MULTIPLY_TILES(1, of_a, of_b);                \
        _tile_loadd(of_b, b + 2 * tile_units, 4 * panel_width); \
        SOFTALIGN_MULTIPLY_TILES(2, of_a, of_b);                \
    } while (false)

// sums += a b, for 16 rows of a and the panel b [units,48]. Unit is Bfloat16Pair or Int8Quad.
template <typename Unit>
[[gnu::target("amx-tile,amx-bf16,amx-int8"), gnu::always_inline]] inline void add_to_tiles(const Unit* a,
                                                                                           std::int64_t a_stride,
                                                                                           const Unit* b,
                                                                                           std::int64_t units) {
    fence();
    for (; units >= tile_units; units -= tile_units, a += tile_units, b += tile_units * panel_width) {
        SOFTALIGN_ADD_TILES(3, 4);
    }
    if (units > 0) {
        SOFTALIGN_ADD_TILES(5, 6);
    }
}

#undef SOFTALIGN_ADD_TILES
#undef SOFTALIGN_MULTIPLY_TILES

#endif

}  // namespace softalign

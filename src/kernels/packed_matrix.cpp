#include "kernels/packed_matrix.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "kernels/instruction_sets.h"
#include "kernels/int8.h"
#include "kernels/product_blocks.h"
#include "kernels/tiles.h"
#include "kernels/transpose.h"
#include "kernels/vector_math.h"

namespace softalign {

namespace {

constexpr std::int64_t panel = panel_width;
constexpr std::size_t cache_line = 64;
// Units of a panel that are worked through before the next rows of A: 96 KiB, which stay in the second-level cache.
constexpr std::int64_t unit_block = 512;
// Sums of integers are not interrupted.
template <typename Unit>
constexpr std::int64_t most_units = unit_block;
template <>
constexpr std::int64_t most_units<Int8Quad> = std::int64_t{1} << 40;
// Rows that are laid side by side at once: with unit_block units 128 KiB.
constexpr std::int64_t transposed_rows = 64;

// Terms of a sum in a unit.
template <typename Unit>
constexpr std::int64_t terms = 1;
template <>
constexpr std::int64_t terms<Bfloat16Pair> = 2;
template <>
constexpr std::int64_t terms<Int8Quad> = quad_terms;

// The unit of the term at `at` and, where there are two, of the next one `stride` further.
SOFTALIGN_INLINE void set_unit(const float* at, std::int64_t /*stride*/, float& unit) {
    unit = *at;
}
SOFTALIGN_INLINE void set_unit(const float* at, std::int64_t stride, Bfloat16Pair& unit) {
    unit = bfloat16_pair(*at, at[stride]);
}

// The last unit of an odd number of terms.
SOFTALIGN_INLINE void set_half_unit(const float* /*at*/, float& /*unit*/) {}
SOFTALIGN_INLINE void set_half_unit(const float* at, Bfloat16Pair& unit) {
    unit = bfloat16_pair(*at, 0.0F);
}

// Copies `width` columns of b into a panel. By blocks of 16 units, for where a column is contiguous they are a cache
// line or two.
template <typename Unit>
SOFTALIGN_INLINE void fill(const float* b, std::int64_t width, std::int64_t depth, std::int64_t row_stride,
                           std::int64_t column_stride, Unit* to) {
    constexpr std::int64_t block = 16;
    const std::int64_t whole = depth / terms<Unit>;
    const std::int64_t units = (depth + terms<Unit> - 1) / terms<Unit>;
    std::fill_n(to, width < panel ? units * panel : 0, Unit());
    for (std::int64_t begin = 0; begin < whole; begin += block) {
        const std::int64_t end = std::min(begin + block, whole);
        if (row_stride == 1) {
            for (std::int64_t j = 0; j < width; ++j) {
                for (std::int64_t k = begin; k < end; ++k) {
                    set_unit(b + k * terms<Unit> + j * column_stride, 1, to[k * panel + j]);
                }
            }
        } else if (column_stride == 1) {
            for (std::int64_t k = begin; k < end; ++k) {
                for (std::int64_t j = 0; j < width; ++j) {
                    set_unit(b + k * terms<Unit> * row_stride + j, row_stride, to[k * panel + j]);
                }
            }
        } else {
            for (std::int64_t k = begin; k < end; ++k) {
                for (std::int64_t j = 0; j < width; ++j) {
                    set_unit(b + k * terms<Unit> * row_stride + j * column_stride, row_stride, to[k * panel + j]);
                }
            }
        }
    }
    for (std::int64_t j = 0; j < width && whole < units; ++j) {
        set_half_unit(b + whole * terms<Unit> * row_stride + j * column_stride, to[whole * panel + j]);
    }
}

void fill_panel(const float* b, std::int64_t width, std::int64_t depth, std::int64_t row_stride,
                std::int64_t column_stride, float* to) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY { fill(b, width, depth, row_stride, column_stride, to); });
}

void fill_panel(const float* b, std::int64_t width, std::int64_t depth, std::int64_t row_stride,
                std::int64_t column_stride, Bfloat16Pair* to) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY { fill(b, width, depth, row_stride, column_stride, to); });
}

// Rows of a as pairs, one after the other: to [rows, (depth + 1) / 2].
void round_rows(const float* a, std::int64_t rows, std::int64_t a_stride, std::int64_t depth, Bfloat16Pair* to) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY {
        const std::int64_t units = (depth + 1) / 2;
        for (std::int64_t row = 0; row < rows; ++row) {
            const float* from = a + row * a_stride;
            Bfloat16Pair* of_row = to + row * units;
            for (std::int64_t k = 0; k < depth / 2; ++k) {
                of_row[k] = bfloat16_pair(from[2 * k], from[2 * k + 1]);
            }
            if (depth % 2 != 0) {
                of_row[units - 1] = bfloat16_pair(from[depth - 1], 0.0F);
            }
        }
    });
}

// Columns of a [depth,·] as rows side by side, eight and eight: to [columns / 8, units, 8], what is beyond `columns`
// left as it is. Goes through a by its rows, each read once.
template <typename Unit>
SOFTALIGN_INLINE void lay(const float* a, std::int64_t a_stride, std::int64_t depth, std::int64_t columns, Unit* to) {
    constexpr std::int64_t width = rows_side_by_side;
    const std::int64_t whole = depth / terms<Unit>;
    const std::int64_t units = (depth + terms<Unit> - 1) / terms<Unit>;
    const std::int64_t full = columns / width * width;
    for (std::int64_t k = 0; k < whole; ++k) {
        const float* from = a + k * terms<Unit> * a_stride;
        for (std::int64_t i = 0; i < full; i += width) {
            Unit* eight = to + i * units + k * width;
            for (std::int64_t j = 0; j < width; ++j) {
                set_unit(from + i + j, a_stride, eight[j]);
            }
        }
        for (std::int64_t j = full; j < columns; ++j) {
            set_unit(from + j, a_stride, to[full * units + k * width + j - full]);
        }
    }
    for (std::int64_t j = 0; j < columns && whole < units; ++j) {
        set_half_unit(a + whole * terms<Unit> * a_stride + j,
                      to[j / width * width * units + whole * width + j % width]);
    }
}

template <typename Unit>
void lay_side_by_side(const float* a, std::int64_t a_stride, std::int64_t depth, std::int64_t columns, Unit* to) {
    with_best_instructions([=]() SOFTALIGN_INLINE_BODY { lay(a, a_stride, depth, columns, to); });
}

// The same as rows one after another, to [columns, units], for kernels by tiles: panels, transposed piece by piece.
void lay_one_after_another(const float* a, std::int64_t a_stride, std::int64_t depth, std::int64_t columns,
                           Bfloat16Pair* to) {
    constexpr std::int64_t at_once = 16;
    alignas(cache_line) Bfloat16Pair piece[at_once * panel];
    const std::int64_t units = (depth + 1) / 2;
    for (std::int64_t k = 0; k < units; k += at_once) {
        for (std::int64_t column = 0; column < columns; column += panel) {
            const std::int64_t width = std::min(panel, columns - column);
            fill_panel(a + 2 * k * a_stride + column, width, std::min(2 * at_once, depth - 2 * k), a_stride, 1, piece);
            transpose_small(piece, panel, std::min(at_once, units - k), width, to + column * units + k, units);
        }
    }
}

// Rows of a, as units.
template <typename Unit>
struct Left {
    const Unit* data;
    std::int64_t rows;
    std::int64_t stride;  // of rows one after another
    Scales<Unit> scales{};
};

template <typename Unit>
Scales<Unit> scales_from(const Scales<Unit>& /*scales*/, std::int64_t /*row*/, std::int64_t /*column*/) {
    return {};
}

template <>
Scales<Int8Quad> scales_from(const Scales<Int8Quad>& scales, std::int64_t row, std::int64_t column) {
    return {scales.of_rows + row, scales.of_columns + column, scales.row_sums + row};
}

// What a product writes to, and what its sums start from.
struct Target {
    float* c;
    std::int64_t c_stride;
    Start start;
    const float* bias;
};

// One panel's share of c, over the `units` units of a and of_panel [units,48]; `first`: sums begin here.
template <Rows layout, typename Unit>
void multiply_panel(const Left<Unit>& a, const Unit* of_panel, std::int64_t units, bool first, std::int64_t n,
                    std::int64_t columns, const Target& target) {
    const ProductKernels<Unit>& chosen = product_kernels<Unit>(layout);
    const std::int64_t width = std::min(panel, columns - n);
    const bool continues = !first || target.start == Start::present;
    const float* from_bias = target.start == Start::bias ? target.bias + n : nullptr;
    for (std::int64_t row = 0; row < a.rows;) {
        const std::int64_t beside = layout == Rows::side_by_side ? rows_side_by_side - row % rows_side_by_side : a.rows;
        const std::int64_t count = std::min({chosen.most_rows, a.rows - row, beside});
        const Unit* from = layout == Rows::side_by_side
                               ? a.data + row / rows_side_by_side * rows_side_by_side * units + row % rows_side_by_side
                               : a.data + row * a.stride;
        float* c = target.c + row * target.c_stride + n;
        chosen.of_rows[count - 1]({from, a.stride, of_panel, units, c, target.c_stride, width,
                                   continues ? c : from_bias, continues ? target.c_stride : 0,
                                   scales_from(a.scales, row, n)});
        row += count;
    }
}

template <typename Unit>
bool by_tiles() {
    return product_kernels<Unit>(Rows::one_after_another).by_tiles;
}

template <typename Unit>
void multiply_packed(const Left<Unit>& a, const PackedMatrix& b, const Target& target) {
    const TileScope tiles(by_tiles<Unit>(), b.units());
    // A sum of nothing is its start, so at least one block is done.
    constexpr std::int64_t most = most_units<Unit>;
    for (std::int64_t k = 0; k == 0 || k < b.units(); k += most) {
        const Left<Unit> part{a.data + k, a.rows, a.stride, a.scales};
        for (std::int64_t n = 0; n < b.columns(); n += panel) {
            multiply_panel<Rows::one_after_another>(part, b.data<Unit>() + n * b.units() + k * panel,
                                                    std::min(most, b.units() - k), k == 0, n, b.columns(), target);
        }
    }
}

template <typename Unit>
void multiply_in_place(const Left<Unit>& a, const MatrixView& b, const Target& target) {
    alignas(cache_line) Unit piece[unit_block * panel];
    const std::int64_t units = (b.depth + terms<Unit> - 1) / terms<Unit>;
    const TileScope tiles(by_tiles<Unit>(), units);
    for (std::int64_t k = 0; k == 0 || k < units; k += unit_block) {
        const std::int64_t first_term = k * terms<Unit>;
        const std::int64_t depth = std::min(unit_block * terms<Unit>, b.depth - first_term);
        const Left<Unit> part{a.data + k, a.rows, a.stride};
        for (std::int64_t n = 0; n < b.columns; n += panel) {
            fill_panel(b.data + first_term * b.row_stride + n * b.column_stride, std::min(panel, b.columns - n), depth,
                       b.row_stride, b.column_stride, piece);
            multiply_panel<Rows::one_after_another>(part, piece, std::min(unit_block, units - k), k == 0, n, b.columns,
                                                    target);
        }
    }
}

// c = a^T b, for as many columns of a as fit into `laid` at once: lay(from, depth, count, to) puts them there as rows.
template <Rows layout, typename Unit, typename Lay>
void multiply_columns(const float* a, std::int64_t rows, std::int64_t a_stride, const PackedMatrix& b,
                      const Target& target, Lay lay) {
    alignas(cache_line) Unit laid[transposed_rows * unit_block];
    const TileScope tiles(layout == Rows::one_after_another, b.units());
    for (std::int64_t k = 0; k == 0 || k < b.units(); k += unit_block) {
        const std::int64_t units = std::min(unit_block, b.units() - k);
        const std::int64_t depth = std::min(unit_block * terms<Unit>, b.depth() - k * terms<Unit>);
        for (std::int64_t row = 0; row < rows; row += transposed_rows) {
            const std::int64_t count = std::min(transposed_rows, rows - row);
            lay(a + k * terms<Unit> * a_stride + row, a_stride, depth, count, laid);
            const Target here{target.c + row * target.c_stride, target.c_stride, target.start, nullptr};
            for (std::int64_t n = 0; n < b.columns(); n += panel) {
                multiply_panel<layout>(Left<Unit>{laid, count, units}, b.data<Unit>() + n * b.units() + k * panel,
                                       units, k == 0, n, b.columns(), here);
            }
        }
    }
}

// Rows that there must be memory for: kernels by tiles read whole tiles.
template <typename Unit>
std::int64_t rows_read(std::int64_t rows) {
    return by_tiles<Unit>() ? (rows + tile_rows - 1) / tile_rows * tile_rows : rows;
}

// Rows of a rounded to pairs.
class RoundedRows {
public:
    RoundedRows(const float* a, std::int64_t rows, std::int64_t a_stride, std::int64_t depth)
        : rows_(rows),
          units_((depth + 1) / 2),
          pairs_(new Bfloat16Pair[static_cast<std::size_t>(rows_read<Bfloat16Pair>(rows) * units_)]) {
        round_rows(a, rows, a_stride, depth, pairs_.get());
    }

    Left<Bfloat16Pair> left() const { return {pairs_.get(), rows_, units_}; }

private:
    std::int64_t rows_;
    std::int64_t units_;
    std::unique_ptr<Bfloat16Pair[]> pairs_;
};

// Rows of a rounded to int8.
class QuantizedRows {
public:
    QuantizedRows(const float* a, std::int64_t rows, std::int64_t a_stride, std::int64_t depth)
        : units_((depth + quad_terms - 1) / quad_terms),
          quads_(new Int8Quad[static_cast<std::size_t>(rows_read<Int8Quad>(rows) * units_)]),
          scales_(static_cast<std::size_t>(rows)),
          sums_(static_cast<std::size_t>(rows)) {
        for (std::int64_t row = 0; row < rows; ++row) {
            Int8Quad* const quads = quads_.get() + row * units_;
            if (units_ > 0) {
                quads[units_ - 1] = 0;  // perhaps not all of it is used
            }
            auto* const bytes = reinterpret_cast<std::int8_t*>(quads);
            scales_[static_cast<std::size_t>(row)] = quantize_row(a + row * a_stride, depth, bytes);
            sums_[static_cast<std::size_t>(row)] = sum_of_row(bytes, depth);
        }
    }

    Left<Int8Quad> times(const PackedMatrix& b) const {
        return {quads_.get(),
                static_cast<std::int64_t>(scales_.size()),
                units_,
                {scales_.data(), b.scales(), sums_.data()}};
    }

private:
    std::int64_t units_;
    std::unique_ptr<Int8Quad[]> quads_;
    std::vector<float> scales_;
    std::vector<std::int32_t> sums_;
};

}  // namespace

void PackedMatrix::Free::operator()(void* data) const {
    std::free(data);
}

PackedMatrix::PackedMatrix(std::int64_t depth, std::int64_t columns, Precision precision)
    : depth_(depth), columns_(columns), precision_(precision) {
    static_assert(sizeof(float) == sizeof(Bfloat16Pair) && sizeof(float) == sizeof(Int8Quad));
    const std::int64_t panels = (columns + panel - 1) / panel;
    const auto bytes = static_cast<std::size_t>(panels * units() * panel) * sizeof(float);
    // 48 units are three cache lines; nothing at all is one.
    data_.reset(std::aligned_alloc(cache_line, std::max(bytes, cache_line)));
    if (!data_) {
        throw std::bad_alloc();
    }
    if (precision == Precision::int8) {
        scales_.resize(static_cast<std::size_t>(panels * panel));
    }
}

std::int64_t PackedMatrix::units() const {
    const std::int64_t in_one = precision_ == Precision::float32    ? terms<float>
                                : precision_ == Precision::bfloat16 ? terms<Bfloat16Pair>
                                                                    : terms<Int8Quad>;
    return (depth_ + in_one - 1) / in_one;
}

void PackedMatrix::pack(const float* b, std::int64_t row_stride, std::int64_t column_stride) {
    if (precision_ == Precision::int8) {
        pack_int8(b, row_stride, column_stride);
        return;
    }
    for (std::int64_t n = 0; n < columns_; n += panel) {
        const float* from = b + n * column_stride;
        const std::int64_t width = std::min(panel, columns_ - n);
        if (precision_ == Precision::float32) {
            fill_panel(from, width, depth_, row_stride, column_stride, static_cast<float*>(data_.get()) + n * units());
        } else {
            fill_panel(from, width, depth_, row_stride, column_stride,
                       static_cast<Bfloat16Pair*>(data_.get()) + n * units());
        }
    }
}

void PackedMatrix::pack_int8(const float* b, std::int64_t row_stride, std::int64_t column_stride) {
    constexpr std::uint32_t excess = 0x80808080U;  // 128 in each byte, for the kernels
    constexpr std::int64_t together = 16;          // columns whose quads of one row are a cache line
    std::vector<float> column(static_cast<std::size_t>(depth_));
    std::vector<Int8Quad> quads(static_cast<std::size_t>(together * units()));
    for (std::int64_t n = 0; n < static_cast<std::int64_t>(scales_.size()); n += together) {
        std::fill(quads.begin(), quads.end(), 0);
        for (std::int64_t j = 0; j < together && n + j < columns_; ++j) {
            const float* from = b + (n + j) * column_stride;
            for (std::int64_t k = 0; k < depth_; ++k) {
                column[static_cast<std::size_t>(k)] = from[k * row_stride];
            }
            scales_[static_cast<std::size_t>(n + j)] =
                quantize_row(column.data(), depth_, reinterpret_cast<std::int8_t*>(quads.data() + j * units()));
        }
        Int8Quad* to = static_cast<Int8Quad*>(data_.get()) + n / panel * panel * units() + n % panel;
        for (std::int64_t k = 0; k < units(); ++k) {
            for (std::int64_t j = 0; j < together; ++j) {
                const auto quad = static_cast<std::uint32_t>(quads[static_cast<std::size_t>(j * units() + k)]);
                to[k * panel + j] = static_cast<Int8Quad>(quad ^ excess);
            }
        }
    }
}

void multiply(const float* a, std::int64_t rows, std::int64_t a_stride, const PackedMatrix& b, float* c,
              std::int64_t c_stride, Start start, const float* bias) {
    const Target target{c, c_stride, start, bias};
    switch (b.precision()) {
        case Precision::float32:
            multiply_packed(Left<float>{a, rows, a_stride}, b, target);
            break;
        case Precision::bfloat16:
            multiply_packed(RoundedRows(a, rows, a_stride, b.depth()).left(), b, target);
            break;
        case Precision::int8:
            multiply_packed(QuantizedRows(a, rows, a_stride, b.depth()).times(b), b, target);
            break;
    }
}

void multiply(const float* a, std::int64_t rows, std::int64_t a_stride, const MatrixView& b, float* c,
              std::int64_t c_stride, Start start, const float* bias) {
    const Target target{c, c_stride, start, bias};
    if (b.precision == Precision::float32) {
        multiply_in_place(Left<float>{a, rows, a_stride}, b, target);
    } else if (b.precision == Precision::bfloat16) {
        multiply_in_place(RoundedRows(a, rows, a_stride, b.depth).left(), b, target);
    } else {
        PackedMatrix packed(b.depth, b.columns, b.precision);  // whole columns have one scale
        packed.pack(b.data, b.row_stride, b.column_stride);
        multiply(a, rows, a_stride, packed, c, c_stride, start, bias);
    }
}

void multiply_transposed(const float* a, std::int64_t rows, std::int64_t a_stride, const PackedMatrix& b, float* c,
                         std::int64_t c_stride, Start start) {
    const Target target{c, c_stride, start, nullptr};
    constexpr Rows beside = Rows::side_by_side;
    if (b.precision() == Precision::float32) {
        multiply_columns<beside, float>(a, rows, a_stride, b, target, lay_side_by_side<float>);
    } else if (by_tiles<Bfloat16Pair>()) {
        multiply_columns<Rows::one_after_another, Bfloat16Pair>(a, rows, a_stride, b, target, lay_one_after_another);
    } else {
        multiply_columns<beside, Bfloat16Pair>(a, rows, a_stride, b, target, lay_side_by_side<Bfloat16Pair>);
    }
}

}  // namespace softalign

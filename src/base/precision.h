#pragma once

namespace softalign {

// What the factors of large matrix products are rounded to. Sums and stored values are float32 in any case. int8 is for
// translation and scoring only: each column of a weight and each row that it is multiplied with has a scale of its own.
enum class Precision { float32, bfloat16, int8 };

// Whether products of bfloat16 are faster here than those of float32: with AMX, and with AVX512_BF16 except on Intel's
// processors (docs/performance.md).
bool gains_from_bfloat16();

}  // namespace softalign

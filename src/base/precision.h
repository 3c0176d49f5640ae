#pragma once

namespace softalign {

// What the factors of large matrix products are rounded to. Sums and stored values are float32 in any case. int8 is for
// translation and scoring only: each column of a weight and each row that it is multiplied with has a scale of its own.
enum class Precision { float32, bfloat16, int8 };

// Whether the processor has instructions for bfloat16 products (AVX512_BF16 or AMX). Without them, it is slower
// than float32.
bool multiplies_bfloat16();

}  // namespace softalign

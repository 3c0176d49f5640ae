#pragma once

namespace softalign {

// What the factors of large matrix products are rounded to. Sums and stored values are float32 in either case.
enum class Precision { float32, bfloat16 };

// Whether the processor has instructions for bfloat16 products (AVX512_BF16). Without them, it is slower than float32.
bool multiplies_bfloat16();

}  // namespace softalign

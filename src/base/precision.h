#pragma once

namespace softalign {

// What the factors of large products are rounded to. Sums, and all that is kept, are float32 in either case.
enum class Precision { float32, bfloat16 };

// Whether the processor multiplies pairs of bfloat16 itself (AVX512_BF16); elsewhere that is slower than float32.
bool multiplies_bfloat16();

}  // namespace softalign

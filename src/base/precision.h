#pragma once

namespace softalign {

// What the factors of large products are rounded to. Sums, and all that is kept, are float32 in either case.
enum class Precision { float32, bfloat16 };

}  // namespace softalign

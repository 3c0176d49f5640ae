#pragma once

#include <cstdint>

namespace softalign {

// Plain loops over `count` numbers, for passes that stay in a core's cache.

// product = x * y; may be x or y itself.
template <typename T>
void multiply_each(const T* x, const T* y, T* product, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        product[i] = x[i] * y[i];
    }
}

// sum += x.
template <typename T>
void add_each(const T* x, T* sum, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        sum[i] += x[i];
    }
}

// sum += x * y.
template <typename T>
void add_products(const T* x, const T* y, T* sum, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        sum[i] += x[i] * y[i];
    }
}

}  // namespace softalign

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace softalign {

// Lengths around every width that the kernels work in: vectors of 4, 8 and 16, lanes of 16 and 32, four of them.
inline std::vector<std::int64_t> kernel_lengths() {
    std::vector<std::int64_t> lengths;
    for (std::int64_t length = 1; length <= 70; ++length) {
        lengths.push_back(length);
    }
    lengths.push_back(257);
    return lengths;
}

// An array that starts anywhere but on a vector's border, with room on both sides that must stay as it is.
template <typename T>
class Array {
public:
    Array(std::int64_t count, std::uint32_t seed, double scale = 1.0)
        : count_(static_cast<std::size_t>(count)), before_(8 + seed % 7), values_(before_ + count_ + 64, sentinel) {
        std::mt19937 generator(seed);
        std::uniform_real_distribution<double> draw(-scale, scale);
        std::generate_n(data(), count_, [&] { return static_cast<T>(draw(generator)); });
    }

    T* data() { return values_.data() + before_; }
    const T* data() const { return values_.data() + before_; }
    std::int64_t size() const { return static_cast<std::int64_t>(count_); }

    T& operator[](std::int64_t i) { return data()[i]; }
    double operator[](std::int64_t i) const { return static_cast<double>(data()[i]); }

    // Whether nothing was written outside.
    bool intact() const {
        const auto untouched = [](T value) { return value == sentinel; };
        const auto end = values_.begin() + static_cast<std::ptrdiff_t>(before_);
        return std::all_of(values_.begin(), end, untouched) &&
               std::all_of(end + static_cast<std::ptrdiff_t>(count_), values_.end(), untouched);
    }

private:
    static constexpr T sentinel = static_cast<T>(sizeof(T) == 1 ? -77.0 : -12345.0);

    std::size_t count_;
    std::size_t before_;
    std::vector<T> values_;
};

// Elements are `expected(i)` but for `tolerance` times 1 + |expected(i)|, and nothing was written outside.
template <typename T, typename Function>
void expect_array(const Array<T>& found, double tolerance, Function expected) {
    EXPECT_TRUE(found.intact());
    for (std::int64_t i = 0; i < found.size(); ++i) {
        const double wanted = expected(i);
        ASSERT_NEAR(found[i], wanted, tolerance * (1.0 + std::abs(wanted)))
            << "element " << i << " of " << found.size();
    }
}

}  // namespace softalign

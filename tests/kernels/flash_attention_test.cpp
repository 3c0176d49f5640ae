#include "kernels/flash_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"

namespace softalign {
namespace {

constexpr std::int64_t mean_width = 260;  // more than any test has keys

// One call's arrays, and the equations one number at a time in double. Rows are longer than the heads need, as where
// queries, keys and values are columns of one matrix.
template <typename T>
struct FlashCase {
    static constexpr std::int64_t gap = 3;

    FlashCase(std::int64_t given_heads, std::int64_t given_groups, std::int64_t given_width, bool is_causal,
              std::vector<FlashRange> given)
        : heads(given_heads), groups(given_groups), width(given_width), causal(is_causal), ranges(std::move(given)) {
        for (const FlashRange& range : ranges) {
            query_rows = std::max(query_rows, range.query_begin + range.query_length);
            key_rows = std::max(key_rows, range.key_begin + range.key_length);
        }
        queries = Array<T>(query_rows * query_stride(), 1, 2.0);
        keys = Array<T>(key_rows * key_stride(), 2, 2.0);
        values = Array<T>(key_rows * key_stride(), 3);
        grad_outputs = Array<T>(query_rows * query_stride(), 4);
        outputs = Array<T>(query_rows * query_stride(), 5);
        log_sums = Array<T>(query_rows * heads, 6);
        grad_queries = Array<T>(query_rows * query_stride(), 7);
        grad_keys = Array<T>(key_rows * key_stride(), 8);
        grad_values = Array<T>(key_rows * key_stride(), 9);
        mean_weights = Array<T>(query_rows * mean_width, 10);
    }

    std::int64_t query_stride() const { return heads * width + gap; }
    std::int64_t key_stride() const { return groups * width + gap; }
    FlashInput<T> input() const {
        return {{queries.data(), query_stride()},
                {keys.data(), key_stride()},
                {values.data(), key_stride()},
                heads,
                groups,
                width,
                causal,
                drops ? &dropout : nullptr,
                ranges};
    }
    void run() {
        flash_forward(input(), {outputs.data(), query_stride()}, log_sums.data());
        flash_backward(input(), {{outputs.data(), query_stride()},
                                 log_sums.data(),
                                 {grad_outputs.data(), query_stride()},
                                 {grad_queries.data(), query_stride()},
                                 {grad_keys.data(), key_stride()},
                                 {grad_values.data(), key_stride()}});
        FlashInput<T> without_dropout = input();
        without_dropout.dropout = nullptr;
        flash_weights(without_dropout, {mean_weights.data(), mean_width});
    }

    std::int64_t heads;
    std::int64_t groups;
    std::int64_t width;
    bool causal;
    std::vector<FlashRange> ranges;
    FlashDropout dropout{mask_key(0x123456789ABCDEFULL, 0.3), 1.0 / 0.7};
    bool drops = false;
    std::int64_t query_rows = 0;
    std::int64_t key_rows = 0;
    Array<T> queries{0, 0}, keys{0, 0}, values{0, 0}, grad_outputs{0, 0}, outputs{0, 0}, log_sums{0, 0},
        grad_queries{0, 0}, grad_keys{0, 0}, grad_values{0, 0}, mean_weights{0, 0};
};

// What FlashCase::run should find, added to what its arrays had before.
struct Expected {
    std::vector<double> outputs, log_sums, grad_queries, grad_keys, grad_values, mean_weights;
};

template <typename T>
std::vector<double> copy_of(const Array<T>& array) {
    return {array.data(), array.data() + array.size()};
}

// One query of one head: its row, the first row of its keys, and how many it sees.
struct OneQuery {
    std::int64_t row;
    std::int64_t head;
    std::int64_t first_key;
    std::int64_t seen;
};

template <typename T>
void add_query(const FlashCase<T>& given, const OneQuery& one, Expected& expected) {
    const std::int64_t width = given.width;
    const std::int64_t q = one.row * given.query_stride() + one.head * width;
    const std::int64_t k = one.first_key * given.key_stride() + one.head / (given.heads / given.groups) * width;
    const auto key = [&](std::int64_t s) { return k + s * given.key_stride(); };
    const double scale = 1.0 / std::sqrt(static_cast<double>(width));
    std::vector<double> weights;
    std::vector<double> masks;
    double sum = 0.0;
    const std::uint32_t hash =
        mask_hash(given.dropout.key, static_cast<std::uint32_t>(one.row * given.heads + one.head));
    for (std::int64_t s = 0; s < one.seen; ++s) {
        double score = 0.0;
        for (std::int64_t c = 0; c < width; ++c) {
            score += scale * given.queries[q + c] * given.keys[key(s) + c];
        }
        weights.push_back(std::exp(score));
        sum += weights.back();
        const bool kept = hash32(hash + static_cast<std::uint32_t>(s)) >= given.dropout.key.threshold;
        masks.push_back(!given.drops ? 1.0 : kept ? given.dropout.kept : 0.0);
    }
    expected.log_sums[static_cast<std::size_t>(one.row * given.heads + one.head)] = one.seen > 0 ? std::log(sum) : 0.0;
    std::vector<double> of_weights;
    double mean = 0.0;
    std::fill_n(expected.outputs.begin() + q, width, 0.0);
    for (std::int64_t s = 0; s < one.seen; ++s) {
        const auto i = static_cast<std::size_t>(s);
        weights[i] /= sum;
        expected.mean_weights[static_cast<std::size_t>(one.row * mean_width + s)] +=
            weights[i] / static_cast<double>(given.heads);
        double gradient = 0.0;
        for (std::int64_t c = 0; c < width; ++c) {
            const double g = given.grad_outputs[q + c];
            expected.outputs[static_cast<std::size_t>(q + c)] += weights[i] * masks[i] * given.values[key(s) + c];
            expected.grad_values[static_cast<std::size_t>(key(s) + c)] += weights[i] * masks[i] * g;
            gradient += g * masks[i] * given.values[key(s) + c];
        }
        of_weights.push_back(gradient);
        mean += weights[i] * gradient;
    }
    for (std::int64_t s = 0; s < one.seen; ++s) {
        const auto i = static_cast<std::size_t>(s);
        const double of_score = scale * weights[i] * (of_weights[i] - mean);
        for (std::int64_t c = 0; c < width; ++c) {
            expected.grad_queries[static_cast<std::size_t>(q + c)] += of_score * given.keys[key(s) + c];
            expected.grad_keys[static_cast<std::size_t>(key(s) + c)] += of_score * given.queries[q + c];
        }
    }
}

template <typename T>
Expected expected_of(const FlashCase<T>& given) {
    Expected expected{copy_of(given.outputs),   copy_of(given.log_sums),    copy_of(given.grad_queries),
                      copy_of(given.grad_keys), copy_of(given.grad_values), copy_of(given.mean_weights)};
    for (const FlashRange& range : given.ranges) {
        for (std::int64_t t = 0; t < range.query_length; ++t) {
            const std::int64_t seen = given.causal
                                          ? std::max<std::int64_t>(t + 1 + range.key_length - range.query_length, 0)
                                          : range.key_length;
            for (std::int64_t head = 0; head < given.heads; ++head) {
                add_query(given, {range.query_begin + t, head, range.key_begin, seen}, expected);
            }
        }
    }
    return expected;
}

template <typename T>
void expect_plain(FlashCase<T> given) {
    const double tolerance = sizeof(T) == sizeof(float) ? 3e-5 : 1e-13;
    const Expected expected = expected_of(given);
    given.run();
    const auto same = [&](const Array<T>& found, const std::vector<double>& wanted) {
        expect_array(found, tolerance, [&](std::int64_t i) { return wanted[static_cast<std::size_t>(i)]; });
    };
    SCOPED_TRACE(std::to_string(given.heads) + " heads, " + std::to_string(given.groups) + " groups of " +
                 std::to_string(given.width) + (given.causal ? ", causal" : "") + (given.drops ? ", dropout" : "") +
                 ", " + std::to_string(given.ranges[0].query_length) + " queries, " +
                 std::to_string(given.ranges[0].key_length) + " keys");
    same(given.outputs, expected.outputs);
    same(given.log_sums, expected.log_sums);
    same(given.grad_queries, expected.grad_queries);
    same(given.grad_keys, expected.grad_keys);
    same(given.grad_values, expected.grad_values);
    same(given.mean_weights, expected.mean_weights);
}

template <typename T>
class FlashAttentionKernels : public testing::Test {};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(FlashAttentionKernels, Types, );

TYPED_TEST(FlashAttentionKernels, AreTheEquationsForEveryLength) {
    for (const std::int64_t keys : kernel_lengths()) {
        expect_plain(FlashCase<TypeParam>(2, 2, 8, false, {{0, 5, 0, keys}}));
        expect_plain(FlashCase<TypeParam>(4, 2, 5, true, {{0, std::min<std::int64_t>(keys, 70), 0, keys}}));
    }
    for (const std::int64_t queries : kernel_lengths()) {
        expect_plain(FlashCase<TypeParam>(2, 1, 4, true, {{0, queries, 0, queries + 3}}));
    }
}

TYPED_TEST(FlashAttentionKernels, AreTheEquationsForEveryWidth) {
    for (const std::int64_t width : kernel_lengths()) {
        expect_plain(FlashCase<TypeParam>(3, 1, width, true, {{0, 3, 0, 9}}));
    }
}

// Many heads of a group in one block; ranges out of order, with rows between them, and keys that several share.
TYPED_TEST(FlashAttentionKernels, AreTheEquationsForEveryLayout) {
    const std::vector<FlashRange> ranges = {{7, 2, 10, 80}, {2, 1, 10, 80}, {0, 1, 0, 3},
                                            {9, 4, 3, 4},   {20, 1, 3, 4},  {30, 3, 5, 0}};
    for (const std::int64_t heads : {1, 2, 6, 70, 140}) {
        for (const std::int64_t groups : {1, 2}) {
            for (const bool causal : {false, true}) {
                for (const bool drops : {false, true}) {
                    FlashCase<TypeParam> given(heads, heads % groups == 0 ? groups : 1, 3, causal, ranges);
                    given.drops = drops;
                    expect_plain(given);
                }
            }
        }
    }
}

TYPED_TEST(FlashAttentionKernels, QueriesThatSeeNothingGiveZerosAndTakeNoGradient) {
    expect_plain(FlashCase<TypeParam>(2, 2, 6, true, {{0, 9, 0, 4}, {9, 70, 4, 66}}));
}

TYPED_TEST(FlashAttentionKernels, DropoutIsTheMaskOfTheRowAcrossTiles) {
    FlashCase<TypeParam> given(4, 2, 7, true, {{0, 150, 0, 170}});
    given.drops = true;
    expect_plain(given);
}

// A row's bits do not depend on what else is in the batch.
TYPED_TEST(FlashAttentionKernels, ARowIsTheSameWhateverTheOthers) {
    const std::vector<FlashRange> ranges = {{0, 1, 0, 75}, {1, 1, 0, 75}, {2, 67, 75, 67}, {69, 1, 3, 20}};
    FlashCase<TypeParam> together(6, 2, 19, true, ranges);
    flash_forward(together.input(), {together.outputs.data(), together.query_stride()}, together.log_sums.data());
    for (const FlashRange& range : ranges) {
        FlashCase<TypeParam> alone(6, 2, 19, true, ranges);
        alone.ranges = {range};
        flash_forward(alone.input(), {alone.outputs.data(), alone.query_stride()}, nullptr);
        for (std::int64_t row = range.query_begin; row < range.query_begin + range.query_length; ++row) {
            for (std::int64_t i = row * alone.query_stride(); i < row * alone.query_stride() + 6 * 19; ++i) {
                ASSERT_EQ(alone.outputs[i], together.outputs[i]) << row;
            }
        }
    }
}

// Scores beyond what e^x can hold, of both signs.
TYPED_TEST(FlashAttentionKernels, LargeScoresStayFinite) {
    FlashCase<TypeParam> given(2, 2, 16, false, {{0, 20, 0, 200}});
    for (std::int64_t i = 0; i < given.queries.size(); ++i) {
        given.queries[i] *= static_cast<TypeParam>(1000);
    }
    given.run();
    for (const Array<TypeParam>* result :
         {&given.outputs, &given.log_sums, &given.grad_queries, &given.grad_keys, &given.grad_values}) {
        EXPECT_TRUE(
            std::all_of(result->data(), result->data() + result->size(), [](TypeParam x) { return std::isfinite(x); }));
    }
}

TEST(HashedMask, DropsTheFractionAskedForInEveryRow) {
    constexpr std::uint32_t rows = 300;
    constexpr std::uint32_t width = 1000;
    const MaskKey key = mask_key(77, 0.25);
    std::int64_t all = 0;
    std::int64_t repeated = 0;  // as in the row before
    for (std::uint32_t row = 0; row < rows; ++row) {
        std::int64_t dropped = 0;
        for (std::uint32_t s = 0; s < width; ++s) {
            const bool here = hash32(mask_hash(key, row) + s) < key.threshold;
            dropped += here ? 1 : 0;
            repeated += here == (hash32(mask_hash(key, row + 1) + s) < key.threshold) ? 1 : 0;
        }
        EXPECT_NEAR(static_cast<double>(dropped), 250.0, 5.0 * std::sqrt(187.5)) << row;
        all += dropped;
    }
    constexpr double count = 1.0 * rows * width;
    EXPECT_NEAR(static_cast<double>(all), 0.25 * count, 4.0 * std::sqrt(0.1875 * count));
    // Independent rows agree with probability p^2 + (1-p)^2.
    EXPECT_NEAR(static_cast<double>(repeated), 0.625 * count, 5.0 * std::sqrt(0.25 * count));
}

}  // namespace
}  // namespace softalign

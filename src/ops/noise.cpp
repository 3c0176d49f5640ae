#include "ops/execution.h"

#include <ATen/Dispatch.h>

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "kernels/hashed_mask.h"

namespace softalign {

namespace {

constexpr std::int64_t low_word = 0xFFFFFFFFLL;

// int64 tensors stand for 32-bit words, in place. A product is cut to its low 32 bits, which are the same for a factor
// less 2^32; of factors below 2^31 in size, no product of a word overflows.
void multiply32(const at::Tensor& x, std::uint32_t factor) {
    x.mul_(std::int64_t{static_cast<std::int32_t>(factor)}).bitwise_and_(low_word);
}

// hash32() of each word, in place.
const at::Tensor& hash32_(const at::Tensor& x) {
    x.bitwise_xor_(x.bitwise_right_shift(std::int64_t{16}));
    multiply32(x, 0x7FEB352DU);
    x.bitwise_xor_(x.bitwise_right_shift(std::int64_t{15}));
    multiply32(x, 0x846CA68BU);
    return x.bitwise_xor_(x.bitwise_right_shift(std::int64_t{16}));
}

// mask_hash() of each counter.
at::Tensor mask_hashes(const MaskKey& key, const at::Tensor& counters) {
    const at::Tensor words = counters.add(static_cast<std::int64_t>(key.offset)).bitwise_and_(low_word);
    return hash32_(hash32_(words).bitwise_xor_(static_cast<std::int64_t>(key.salt)));
}

at::Tensor kept_elements(const at::Tensor& hashes, const MaskKey& key, double p, const at::TensorOptions& options) {
    return hashes.ge(static_cast<std::int64_t>(key.threshold)).to(options.dtype()).mul_(1.0 / (1.0 - p));
}

}  // namespace

at::Tensor hashed_mask(at::IntArrayRef sizes, double p, std::uint64_t key, const at::TensorOptions& options) {
    const MaskKey k = mask_key(key, p);
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) {
        count *= size;
    }
    return kept_elements(mask_hashes(k, at::arange(count, options.dtype(at::kLong))), k, p, options).view(sizes);
}

at::Tensor hashed_mask_of_rows(const at::Tensor& rows, std::int64_t width, double p, std::uint64_t key,
                               const at::TensorOptions& options) {
    const MaskKey k = mask_key(key, p);
    const at::Tensor columns = at::arange(width, rows.options());
    const at::Tensor counters = mask_hashes(k, rows).unsqueeze(-1).add(columns);
    return kept_elements(hash32_(counters.bitwise_and(low_word)), k, p, options);
}

std::uint64_t Noise::next_key() {
    return mix_key({key_, calls_++});
}

at::Tensor Noise::mask(at::IntArrayRef sizes, double p, const at::TensorOptions& options) {
    const std::uint64_t key = next_key();
    if (!options.device().is_cpu()) {
        return hashed_mask(sizes, p, key, options);
    }
    at::Tensor mask = at::empty(sizes, options);
    const MaskKey k = mask_key(key, p);
    const std::int64_t count = mask.numel();
    AT_DISPATCH_FLOATING_TYPES(mask.scalar_type(), "dropout mask", [&] {
        scalar_t* out = mask.data_ptr<scalar_t>();
        const auto keep = static_cast<scalar_t>(1.0 / (1.0 - p));
        for (std::int64_t i = 0; i < count; ++i) {
            out[i] = mask_hash(k, static_cast<std::uint32_t>(i)) >= k.threshold ? keep : static_cast<scalar_t>(0);
        }
    });
    return mask;
}

at::Tensor dropout(const at::Tensor& x, double p, Noise* noise) {
    if (noise == nullptr || p == 0.0) {
        return x;
    }
    return x.mul(noise->mask(x.sizes(), p, x.options()));
}

at::Tensor drop_rows(const at::Tensor& x, double p, Noise* noise) {
    if (noise == nullptr || p == 0.0) {
        return x;
    }
    std::vector<std::int64_t> sizes = x.sizes().vec();
    sizes.back() = 1;
    return x.mul(noise->mask(sizes, p, x.options().requires_grad(false)));
}

}  // namespace softalign

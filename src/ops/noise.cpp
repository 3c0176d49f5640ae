#include "ops/execution.h"

#include <ATen/Dispatch.h>

#include <cmath>
#include <cstdint>

#include "base/random.h"

namespace softalign {

namespace {

// A 32-bit finaliser (Wellons' lowbias32): 32-bit lanes vectorise on every processor.
inline std::uint32_t hash32(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7FEB352DU;
    x ^= x >> 15;
    x *= 0x846CA68BU;
    x ^= x >> 16;
    return x;
}

struct MaskKey {
    std::uint32_t offset;
    std::uint32_t salt;
    std::uint32_t threshold;  // the element is dropped where its hash is below
};

MaskKey mask_key(std::uint64_t key, double p) {
    return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32),
            static_cast<std::uint32_t>(std::floor(p * 4294967296.0))};
}

// int64 tensors stand for 32-bit words: products are cut to their low 32 bits.
at::Tensor multiply32(const at::Tensor& x, std::int64_t factor) {
    const at::Tensor low = x.bitwise_and(std::int64_t{0xFFFF}).mul(factor);
    const at::Tensor high = x.bitwise_right_shift(std::int64_t{16})
                                .mul(factor)
                                .bitwise_and(std::int64_t{0xFFFF})
                                .bitwise_left_shift(std::int64_t{16});
    return low.add(high).bitwise_and(std::int64_t{0xFFFFFFFF});
}

at::Tensor hash32(at::Tensor x) {
    x = x.bitwise_xor(x.bitwise_right_shift(std::int64_t{16}));
    x = multiply32(x, 0x7FEB352DLL);
    x = x.bitwise_xor(x.bitwise_right_shift(std::int64_t{15}));
    x = multiply32(x, 0x846CA68BLL);
    return x.bitwise_xor(x.bitwise_right_shift(std::int64_t{16}));
}

}  // namespace

at::Tensor hashed_mask(at::IntArrayRef sizes, double p, std::uint64_t key, const at::TensorOptions& options) {
    const MaskKey k = mask_key(key, p);
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) {
        count *= size;
    }
    at::Tensor index = at::arange(count, options.dtype(at::kLong))
                           .add(static_cast<std::int64_t>(k.offset))
                           .bitwise_and(std::int64_t{0xFFFFFFFF});
    index = hash32(hash32(index).bitwise_xor(static_cast<std::int64_t>(k.salt)));
    return index.ge(static_cast<std::int64_t>(k.threshold)).to(options.dtype()).mul_(1.0 / (1.0 - p)).view(sizes);
}

at::Tensor Noise::mask(at::IntArrayRef sizes, double p, const at::TensorOptions& options) {
    const std::uint64_t key = mix_key({key_, calls_++});
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
            const std::uint32_t word = hash32(hash32(static_cast<std::uint32_t>(i) + k.offset) ^ k.salt);
            out[i] = word >= k.threshold ? keep : static_cast<scalar_t>(0);
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

}  // namespace softalign

#include "ops/packed_weights.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "base/files.h"

namespace softalign {

namespace {

// Rows from which a product is faster when its weight is packed on the way than by LibTorch's BLAS.
constexpr std::int64_t enough_rows = 96;

}  // namespace

void PackedWeights::fill(Entry& entry) {
    const std::int64_t stride = entry.weight.stride(0);
    const auto* data = entry.weight.data_ptr<float>();
    if (entry.pass == Pass::forward) {
        entry.packed.pack(data, 1, stride);
    } else {
        entry.packed.pack(data, stride, 1);
    }
}

const PackedMatrix& PackedWeights::of(const at::Tensor& weight, Pass pass) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Entry*& entry = places_[{weight.data_ptr(), weight.size(0), weight.size(1), pass}];
    if (entry == nullptr) {
        const bool forward = pass == Pass::forward;
        auto made = std::make_unique<Entry>();
        made->weight = weight.detach();
        made->pass = pass;
        made->packed = PackedMatrix(weight.size(forward ? 1 : 0), weight.size(forward ? 0 : 1), precision_);
        fill(*made);
        let_go_of_mapped(weight.data_ptr(), weight.nbytes());
        entries_.push_back(std::move(made));
        entry = entries_.back().get();
    }
    return entry->packed;
}

void PackedWeights::repack(std::int64_t index) {
    fill(*entries_[static_cast<std::size_t>(index)]);
}

std::unique_ptr<PackedWeights> weights_rounded_to(Precision precision) {
    return precision == Precision::float32 ? nullptr : std::make_unique<PackedWeights>(precision);
}

void keep_weights(torch::autograd::AutogradContext& context, PackedWeights* packed) {
    context.saved_data["packed_weights"] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(packed));
}

PackedWeights* kept_weights(torch::autograd::AutogradContext& context) {
    return reinterpret_cast<PackedWeights*>(static_cast<std::intptr_t>(context.saved_data["packed_weights"].toInt()));
}

void RepeatedProduct<double>::of_rows(const double* x, std::int64_t stride, std::int64_t rows, double* y, Start start,
                                      const double* bias) const {
    const at::NoGradGuard no_grad;
    const at::Tensor from =
        at::from_blob(const_cast<double*>(x), {rows, factor_.size(0)}, {stride, 1}, at::kDouble);  // only read
    at::Tensor to = at::from_blob(y, {rows, factor_.size(1)}, at::kDouble);
    if (start == Start::bias) {
        to.copy_(at::from_blob(const_cast<double*>(bias), {1, factor_.size(1)}, at::kDouble).expand_as(to));
    }
    to.addmm_(from, factor_, start == Start::zero ? 0.0 : 1.0);
}

at::Tensor weight_product(const at::Tensor& x, const at::Tensor& weight, Pass pass, const at::Tensor& bias,
                          PackedWeights* packed, bool weight_changes) {
    const bool forward = pass == Pass::forward;
    const bool by_hand = weight.device().is_cpu() && weight.scalar_type() == at::kFloat && weight.stride(1) == 1;
    const bool reuses = by_hand && packed != nullptr && !weight_changes;
    const Precision precision = packed != nullptr ? packed->precision() : Precision::float32;
    if (!reuses && (!by_hand || x.size(0) < enough_rows)) {
        const at::Tensor factor = forward ? weight.t() : weight;
        return bias.defined() ? at::addmm(bias, x, factor) : x.mm(factor);
    }
    at::Tensor y = at::empty({x.size(0), weight.size(forward ? 0 : 1)}, x.options().requires_grad(false));
    const Start start = bias.defined() ? Start::bias : Start::zero;
    const float* row = bias.defined() ? bias.data_ptr<float>() : nullptr;
    const auto* from = x.data_ptr<float>();
    auto* to = y.data_ptr<float>();
    if (reuses) {
        multiply(from, x.size(0), x.stride(0), packed->of(weight, pass), to, y.size(1), start, row);
    } else {
        const auto* data = weight.data_ptr<float>();
        const std::int64_t stride = weight.stride(0);
        const MatrixView view = forward ? MatrixView{data, weight.size(1), weight.size(0), 1, stride, precision}
                                        : MatrixView{data, weight.size(0), weight.size(1), stride, 1, precision};
        multiply(from, x.size(0), x.stride(0), view, to, y.size(1), start, row);
    }
    return y;
}

void add_weight_gradient(at::Tensor sum, const at::Tensor& grad, const at::Tensor& x, Sum first,
                         const PackedWeights* packed) {
    const bool rounds = packed != nullptr && packed->precision() == Precision::bfloat16 && sum.device().is_cpu() &&
                        sum.scalar_type() == at::kFloat && sum.stride(1) == 1;
    if (!rounds) {
        sum.addmm_(grad.t(), x, first == Sum::starts ? 0.0 : 1.0);
        return;
    }
    const at::Tensor outputs = grad.contiguous();
    PackedMatrix inputs(x.size(0), x.size(1), Precision::bfloat16);
    inputs.pack(x.data_ptr<float>(), x.stride(0), x.stride(1));
    multiply_transposed(outputs.data_ptr<float>(), outputs.size(1), outputs.size(1), inputs, sum.data_ptr<float>(),
                        sum.stride(0), first == Sum::starts ? Start::zero : Start::present);
}

}  // namespace softalign

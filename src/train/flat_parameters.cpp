#include "train/flat_parameters.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace softalign {

namespace {

// Parameters start at multiples of 16 numbers (64 bytes), so that vector loads are aligned.
constexpr std::int64_t alignment = 16;

std::int64_t aligned(std::int64_t count) {
    return (count + alignment - 1) / alignment * alignment;
}

}  // namespace

FlatParameters::FlatParameters(Seq2Seq& model) {
    std::int64_t total = 0;
    at::TensorOptions options;
    for (const auto& item : model.named_parameters()) {
        parts_.push_back({item.key(), total, item.value().sizes().vec(), item.value().numel()});
        total += aligned(item.value().numel());
        options = item.value().options().requires_grad(false);
    }
    values_ = at::zeros({total}, options);
    const at::NoGradGuard no_grad;
    const auto parameters = model.named_parameters();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        view(values_, parts_[i]).copy_(parameters[i].value());
    }
    attach(model, values_);
}

at::Tensor FlatParameters::zeros() const {
    return at::zeros_like(values_);
}

at::Tensor FlatParameters::view(const at::Tensor& flat, const Part& part) const {
    return flat.narrow(0, part.begin, part.count).view(part.sizes);
}

void FlatParameters::attach(Seq2Seq& replica, const at::Tensor& values) const {
    auto parameters = replica.parameters();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        parameters[i].set_data(view(values, parts_[i]));
    }
}

void FlatParameters::attach_gradients(Seq2Seq& replica, const at::Tensor& gradients) const {
    auto parameters = replica.parameters();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        parameters[i].mutable_grad() = view(gradients, parts_[i]);
    }
}

std::vector<std::pair<std::string, at::Tensor>> FlatParameters::parts(const at::Tensor& flat) const {
    std::vector<std::pair<std::string, at::Tensor>> result;
    result.reserve(parts_.size());
    for (const Part& part : parts_) {
        result.emplace_back(part.name, view(flat, part));
    }
    return result;
}

}  // namespace softalign

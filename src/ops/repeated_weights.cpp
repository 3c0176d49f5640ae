#include "ops/repeated_weights.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "ops/execution.h"

namespace softalign {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What the steps' backward passes leave for that of the weight.
struct KeptFactors : torch::CustomClassHolder {
    std::vector<std::vector<GradientFactors>> steps;
    const PackedWeights* packed = nullptr;
};

constexpr const char* kept_key = "factors";

c10::intrusive_ptr<KeptFactors> factors_of(AutogradContext& context) {
    return c10::static_intrusive_pointer_cast<KeptFactors>(context.saved_data[kept_key].toCapsule());
}

// The i-th parts of all steps as one.
GradientFactors joined(const std::vector<std::vector<GradientFactors>>& steps, std::size_t i) {
    if (steps.size() == 1) {
        return steps.front()[i];
    }
    std::vector<at::Tensor> grads;
    std::vector<at::Tensor> inputs;
    for (const std::vector<GradientFactors>& parts : steps) {
        grads.push_back(parts[i].grad);
        inputs.push_back(parts[i].x);
    }
    return {at::cat(grads), at::cat(inputs)};
}

// Autograd calls the backward pass when all uses of the result have had theirs. They hand back no gradient.
class StandIn : public torch::autograd::Function<StandIn> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& weight) {
        context->save_for_backward({weight});
        context->set_materialize_grads(false);
        context->saved_data[kept_key] = c10::IValue::make_capsule(c10::make_intrusive<KeptFactors>());
        return weight.detach();
    }

    static variable_list backward(AutogradContext* context, variable_list /*gradients*/) {
        const auto kept = factors_of(*context);
        const std::vector<std::vector<GradientFactors>> steps = std::move(kept->steps);
        kept->steps.clear();
        std::vector<GradientFactors> parts;
        for (std::size_t i = 0; !steps.empty() && i < steps.front().size(); ++i) {
            parts.push_back(joined(steps, i));
        }
        return {deposit_products(context->get_saved_variables()[0], parts, kept->packed)};
    }
};

torch::autograd::CppNode<StandIn>* node_of(const at::Tensor& weight) {
    return dynamic_cast<torch::autograd::CppNode<StandIn>*>(weight.grad_fn().get());
}

}  // namespace

at::Tensor RepeatedWeights::of(const at::Tensor& weight) {
    if (!at::GradMode::is_enabled() || !weight.requires_grad() || is_repeated(weight)) {
        return weight;
    }
    Entry& entry = entries_[weight.unsafeGetTensorImpl()];
    if (!entry.weight.defined()) {
        entry = {weight, StandIn::apply(weight)};
    }
    return entry.stand_in;
}

bool is_repeated(const at::Tensor& weight) {
    return node_of(weight) != nullptr;
}

bool keep_for_the_end(const at::Tensor& weight, const std::vector<GradientFactors>& parts,
                      const PackedWeights* packed) {
    torch::autograd::CppNode<StandIn>* const node = node_of(weight);
    if (node == nullptr) {
        return false;
    }
    const auto kept = factors_of(node->ctx_);
    kept->steps.push_back(parts);
    kept->packed = packed;
    return true;
}

}  // namespace softalign

#include "ops/library_layer.h"

#include <c10/util/Exception.h>
#include <torch/version.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

namespace softalign {

namespace {

// cuDNN wants all weights of a layer in one piece of memory. LibTorch copies them there, and warns of it in every call.
class Silence : public c10::WarningHandler {
public:
#if TORCH_VERSION_MAJOR >= 2
    void process(const c10::Warning& /*warning*/) override {}
#else
    void process(const c10::SourceLocation& /*place*/, const std::string& /*text*/, bool /*verbatim*/) override {}
#endif
};

#if TORCH_VERSION_MAJOR >= 2
using WarningGuard = c10::WarningUtils::WarningHandlerGuard;
#else
using WarningGuard = c10::Warning::WarningHandlerGuard;
#endif

}  // namespace

bool has_library_form(const at::Tensor& x) {
    return !x.device().is_cpu();
}

at::Tensor library_gru_gates(const at::Tensor& projected, const at::Tensor& recurrent, const at::Tensor& hidden) {
    return std::get<0>(at::_thnn_fused_gru_cell(projected, recurrent, hidden));
}

UnitState library_lstm_gates(const at::Tensor& projected, const at::Tensor& recurrent, const at::Tensor& cell) {
    const auto next = at::_thnn_fused_lstm_cell(projected, recurrent, cell);
    return {std::get<0>(next), std::get<1>(next)};
}

LibraryStates run_library_layer(const LibraryLayer& layer, const at::Tensor& inputs, const PackedRows& rows) {
    constexpr std::size_t weights_of_direction = 4;
    const auto directions = static_cast<std::int64_t>(layer.weights.size() / weights_of_direction);
    const auto first = [&](const at::Tensor& start) {
        return start.defined() ? start.unsqueeze(0)
                               : at::zeros({directions, rows.sentences(), layer.weights[1].size(1)},
                                           inputs.options().requires_grad(false));
    };
    const at::Tensor hidden = first(layer.start.hidden);
    const at::Tensor counts = at::tensor(rows.counts, at::kLong);  // LibTorch wants them on the host
    const bool has_gradient = at::GradMode::is_enabled();
    Silence silence;
    const WarningGuard guard(&silence);
    LibraryStates result;
    if (layer.is_lstm) {
        std::tie(result.states, result.hidden, result.cell) =
            at::lstm(inputs, counts, {hidden, first(layer.start.cell)}, layer.weights,
                     /*has_biases=*/true, /*num_layers=*/1,
                     /*dropout=*/0.0, has_gradient, directions == 2);
    } else {
        std::tie(result.states, result.hidden) =
            at::gru(inputs, counts, hidden, layer.weights, /*has_biases=*/true, /*num_layers=*/1, /*dropout=*/0.0,
                    has_gradient, directions == 2);
    }
    return result;
}

}  // namespace softalign

#include "ops/log_mean.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/log_mean.h"
#include "ops/execution.h"

namespace softalign {

at::Tensor log_of_mean(const std::vector<at::Tensor>& log_probs, const std::vector<double>& weights) {
    std::vector<at::Tensor> rows;
    rows.reserve(log_probs.size());
    for (const at::Tensor& one : log_probs) {
        rows.push_back(one.contiguous());
    }
    at::Tensor mean = rows.front();
    if (has_fused_form(mean) && mean.scalar_type() == at::kFloat) {
        std::vector<float*> numbers;
        std::vector<float> log_weights;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            numbers.push_back(rows[i].data_ptr<float>());
            log_weights.push_back(static_cast<float>(std::log(weights[i])));
        }
        log_mean(numbers.data(), log_weights.data(), static_cast<std::int64_t>(rows.size()), mean.numel());
        return mean;
    }
    mean.add_(std::log(weights.front()));
    for (std::size_t i = 1; i < rows.size(); ++i) {
        at::logaddexp_out(mean, mean, rows[i] + std::log(weights[i]));
    }
    return mean.clamp_max_(0.0);  // the sum of weights may round to more than 1
}

}  // namespace softalign

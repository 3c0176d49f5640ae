#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "config/config.h"
#include "model/encoder.h"
#include "model/stack_input.h"

namespace softalign {

// Gehring et al. 2017, section 3: layers of convolutions over the words with gated linear units and residual sums,
//   x' = sqrt(1/2) (A * sigma(B) + x), [A;B]_p = b + sum_j W_j x_{p+j-floor(k/2)}, j = 0..k-1,
// with zeros before the first word and after the last. Each row of a grid is a sequence of its own.
class ConvolutionalEncoder : public Encoder {
public:
    explicit ConvolutionalEncoder(const ModelConfig& config);

    Encoded encode(const SourceBatch& source, const Execution& execution) const override;
    std::int64_t annotation_size() const override { return size_; }
    std::vector<PartWork> work(const BatchShape& on) const override;

private:
    class Layer;

    std::int64_t size_;    // H
    std::int64_t kernel_;  // k
    double drop_layers_;
    double drop_context_;
    StackInput input_;
    std::vector<std::shared_ptr<Layer>> layers_;
};

}  // namespace softalign

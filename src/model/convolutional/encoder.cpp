#include "model/convolutional/encoder.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "ops/affine.h"
#include "ops/packed_rows.h"
#include "ops/to_device.h"

namespace softalign {

namespace {

// For each word of sequences, one after another, the rows of the k words around it; P, a row of zeros, where there is
// none. [P*k] int64
at::Tensor neighbours(const std::vector<std::int64_t>& lengths, std::int64_t kernel, const at::Device& device) {
    const std::int64_t total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    std::vector<std::int64_t> result;
    result.reserve(static_cast<std::size_t>(total * kernel));
    std::int64_t begin = 0;
    for (const std::int64_t length : lengths) {
        for (std::int64_t p = 0; p < length; ++p) {
            for (std::int64_t q = p - kernel / 2; q < p - kernel / 2 + kernel; ++q) {
                result.push_back(q >= 0 && q < length ? begin + q : total);
            }
        }
        begin += length;
    }
    return to_device(result, device);
}

}  // namespace

class ConvolutionalEncoder::Layer : public Part {
public:
    Layer(std::int64_t size, std::int64_t kernel)
        : weight_(declare("weight", {2 * size, kernel * size}, Role::matrix)),
          bias_(declare("bias", {2 * size}, Role::bias)) {}

    // x [P,H] -> [P,H]. `around` as of neighbours().
    at::Tensor forward(const at::Tensor& x, const at::Tensor& around, double drop, const Execution& execution) const {
        const at::Tensor input = dropout(x, drop, execution.noise);
        const at::Tensor windows =
            at::cat({input, at::zeros_like(input.narrow(0, 0, 1))}, 0).index_select(0, around).view({x.size(0), -1});
        return (at::glu(affine(windows, weight_, bias_, execution), 1) + x) * std::sqrt(0.5);
    }

    double work(std::int64_t rows) const { return flop(rows, weight_); }

private:
    at::Tensor weight_;  // [2H,kH]: k blocks of columns, from the leftmost word to the rightmost
    at::Tensor bias_;    // [2H]
};

ConvolutionalEncoder::ConvolutionalEncoder(const ModelConfig& config)
    : size_(config.encoder.hidden_size),
      kernel_(config.encoder.kernel_size),
      drop_layers_(config.dropout.layers),
      drop_context_(config.dropout.context),
      input_(config, size_, declaring()) {
    for (std::int64_t i = 0; i < config.encoder.layers; ++i) {
        layers_.push_back(add_part("layer" + std::to_string(i), std::make_shared<Layer>(size_, kernel_)));
    }
}

Encoded ConvolutionalEncoder::encode(const SourceBatch& source, const Execution& execution) const {
    const SentenceRows rows = sentence_rows(source.lengths, source.width(), source.values.device());
    const at::Tensor around = neighbours(source.lines(), kernel_, source.values.device());
    at::Tensor x = input_(pack(source.values, rows), rows, source.grids, execution);
    for (const auto& layer : layers_) {
        x = layer->forward(x, around, drop_layers_, execution);
    }
    return finish_encoding(unpack(x, rows), source, drop_context_, execution);
}

std::vector<PartWork> ConvolutionalEncoder::work(const BatchShape& on) const {
    double convolutions = 0.0;
    for (const auto& layer : layers_) {
        convolutions += layer->work(on.sources());
    }
    return {{"encoder inputs", input_.work(on.sources())}, {"convolutions", convolutions}};
}

}  // namespace softalign

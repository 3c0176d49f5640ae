#include "model/transformer/encoder.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ops/packed_rows.h"

namespace softalign {

class TransformerEncoder::Layer : public Part {
public:
    explicit Layer(const ModelConfig& config) : place_(config.transformer.norm), drop_(config.dropout.residual) {
        const std::int64_t size = config.encoder.hidden_size;
        self_ = add_part("self", std::make_shared<TransformerAttention>(config.transformer, size, size, false,
                                                                        config.dropout.attention));
        norm_self_ = add_part("norm_self", std::make_shared<LayerNorm>(size));
        feed_forward_ = add_part("feed_forward",
                                 std::make_shared<FeedForward>(config.transformer, size, config.dropout.feed_forward));
        norm_feed_forward_ = add_part("norm_feed_forward", std::make_shared<LayerNorm>(size));
    }

    at::Tensor forward(const at::Tensor& x, const Sequences& sequences, const Execution& execution) const {
        const at::Tensor seen = add_sublayer(x, *norm_self_, place_, drop_, execution, [&](const at::Tensor& input) {
            return self_->attend(input, self_->read(input, execution), sequences, execution);
        });
        return add_sublayer(seen, *norm_feed_forward_, place_, drop_, execution,
                            [&](const at::Tensor& input) { return feed_forward_->forward(input, execution); });
    }

    double attention_work(const BatchShape& on) const {
        return self_->reading_work(on.sources()) + self_->attending_work(on.sources(), on.sources() * on.source);
    }
    double feed_forward_work(const BatchShape& on) const { return feed_forward_->work(on.sources()); }

private:
    NormPlace place_;
    double drop_;
    std::shared_ptr<TransformerAttention> self_;
    std::shared_ptr<LayerNorm> norm_self_;
    std::shared_ptr<FeedForward> feed_forward_;
    std::shared_ptr<LayerNorm> norm_feed_forward_;
};

TransformerEncoder::TransformerEncoder(const ModelConfig& config)
    : size_(config.encoder.hidden_size), drop_context_(config.dropout.context), input_(config, size_, declaring()) {
    for (std::int64_t i = 0; i < config.encoder.layers; ++i) {
        layers_.push_back(add_part("layer" + std::to_string(i), std::make_shared<Layer>(config)));
    }
    if (config.transformer.norm == NormPlace::pre) {
        norm_ = add_part("norm", std::make_shared<LayerNorm>(size_));
    }
}

Encoded TransformerEncoder::encode(const SourceBatch& source, const Execution& execution) const {
    const SentenceRows rows = sentence_rows(source.lengths, source.width(), source.values.device());
    const Sequences sequences{rows.begins, rows.lengths, rows.begins, rows.lengths};
    at::Tensor x = input_(pack(source.values, rows), rows, source.grids, execution);
    for (const auto& layer : layers_) {
        x = layer->forward(x, sequences, execution);
    }
    return finish_encoding(unpack(norm_ ? norm_->forward(x) : x, rows), source, drop_context_, execution);
}

std::vector<PartWork> TransformerEncoder::work(const BatchShape& on) const {
    double attention = 0.0;
    double feed_forward = 0.0;
    for (const auto& layer : layers_) {
        attention += layer->attention_work(on);
        feed_forward += layer->feed_forward_work(on);
    }
    return {{"encoder inputs", input_.work(on.sources())},
            {"self-attention", attention},
            {"encoder feed-forward", feed_forward}};
}

}  // namespace softalign

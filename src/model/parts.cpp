// The parts of a model by the names of the configuration, and what encoders and decoders have in common.
#include <cstdint>
#include <memory>
#include <utility>

#include "model/convolutional/encoder.h"
#include "model/decoder.h"
#include "model/encoder.h"
#include "model/recurrent/decoder.h"
#include "model/recurrent/encoder.h"
#include "model/source/plain_encoder.h"
#include "model/transformer/decoder.h"
#include "model/transformer/encoder.h"

namespace softalign {

std::shared_ptr<Encoder> make_encoder(const ModelConfig& config) {
    switch (config.encoder.type) {
        case EncoderType::recurrent:
            break;
        case EncoderType::transformer:
            return std::make_shared<TransformerEncoder>(config);
        case EncoderType::convolutional:
            return std::make_shared<ConvolutionalEncoder>(config);
        case EncoderType::none:
            return std::make_shared<PlainEncoder>(config);
    }
    return std::make_shared<RecurrentEncoder>(config);
}

std::shared_ptr<Decoder> make_decoder(const ModelConfig& config, std::int64_t annotation_size) {
    if (config.decoder.type == DecoderType::transformer) {
        return std::make_shared<TransformerDecoder>(config, annotation_size);
    }
    return std::make_shared<RecurrentDecoder>(config, annotation_size);
}

Encoded finish_encoding(const at::Tensor& annotations, const SourceBatch& source, double drop,
                        const Execution& execution, Summary summary) {
    Encoded result;
    result.annotations = dropout(annotations.contiguous(), drop, execution.noise);
    summary.mean =
        result.annotations.sum(1) / length_column(source.lengths, annotations.options().requires_grad(false));
    result.lengths = source.lengths;
    result.grids = source.grids;
    result.mask = source.mask();
    result.summary = std::move(summary);
    result.embedded = source.values;
    return result;
}

TaughtSteps Decoder::teacher_forced(const TaughtWords& words, const DecoderMemory& memory, const DecoderState& state,
                                    const Execution& execution) const {
    const at::Tensor embedded = unpack(words.embedded, words.rows).transpose(0, 1);  // [T,B,E]
    const DecoderSteps steps = step(embedded, memory, state, words.weights, execution);
    const auto packed = [&](const at::Tensor& x) { return x.defined() ? pack(x.transpose(0, 1), words.rows) : x; };
    return {packed(steps.readouts), words.weights == Weights::wanted ? packed(steps.weights) : at::Tensor()};
}

}  // namespace softalign

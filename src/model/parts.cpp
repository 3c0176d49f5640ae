// The parts of a model by the names of the configuration, and what decoders have in common.
#include <cstdint>
#include <memory>

#include "model/decoder.h"
#include "model/encoder.h"
#include "model/recurrent/decoder.h"
#include "model/recurrent/encoder.h"

namespace softalign {

std::shared_ptr<Encoder> make_encoder(const ModelConfig& config) {
    return std::make_shared<RecurrentEncoder>(config);
}

std::shared_ptr<Decoder> make_decoder(const ModelConfig& config, std::int64_t annotation_size) {
    return std::make_shared<RecurrentDecoder>(config, annotation_size);
}

at::Tensor Decoder::teacher_forced(const at::Tensor& embedded, const PackedRows& rows, const DecoderMemory& memory,
                                   const DecoderState& state, const Execution& execution) const {
    const at::Tensor words = unpack(embedded, rows).transpose(0, 1);  // [T,B,E]
    return pack(step(words, memory, state, Weights::unwanted, execution).readouts.transpose(0, 1), rows);
}

}  // namespace softalign

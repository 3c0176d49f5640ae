#include "model/source/plain_encoder.h"

#include "ops/packed_rows.h"

namespace softalign {

Encoded PlainEncoder::encode(const SourceBatch& source, const Execution& execution) const {
    const SentenceRows rows = sentence_rows(source.lengths, source.width(), source.values.device());
    return finish_encoding(unpack(pack(source.values, rows), rows), source, drop_context_, execution);
}

}  // namespace softalign

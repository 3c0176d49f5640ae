#include "model/attention.h"

#include <limits>

#include "model/attention_mechanisms.h"

namespace softalign {

namespace {

at::Tensor select_rows(const at::Tensor& x, const at::Tensor& rows) {
    return x.defined() ? x.index_select(0, rows) : x;
}

}  // namespace

AttentionMemory AttentionMemory::select(const at::Tensor& rows) const {
    return {select_rows(keys, rows), select_rows(values, rows), select_rows(mask, rows)};
}

AttentionResult attend_with_scores(const at::Tensor& scores, const AttentionMemory& memory) {
    const at::Tensor padding = memory.mask.logical_not().unsqueeze(1);  // [B,1,S]
    const at::Tensor weights =
        scores.masked_fill(padding, -std::numeric_limits<double>::infinity()).softmax(2);  // [B,Tq,S]
    return {at::bmm(weights, memory.values), weights};
}

std::shared_ptr<Attention> make_attention(const AttentionConfig& config, std::int64_t query_size,
                                          std::int64_t annotation_size) {
    switch (config.type) {
        case AttentionType::additive:
            return std::make_shared<AdditiveAttention>(config.size, query_size, annotation_size);
        case AttentionType::dot:
            return std::make_shared<DotAttention>();
        case AttentionType::general:
            return std::make_shared<GeneralAttention>(query_size, annotation_size);
        case AttentionType::concat:
            return std::make_shared<ConcatAttention>(config.size, query_size, annotation_size);
        case AttentionType::none:
            break;
    }
    return std::make_shared<NoAttention>();
}

}  // namespace softalign

#include "model/seq2seq.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "model/guided_alignment.h"
#include "model/lexical_decoder.h"
#include "model/minimum_risk.h"
#include "ops/affine.h"
#include "ops/execution.h"
#include "ops/loss.h"
#include "ops/output_layer.h"
#include "ops/packed_rows.h"
#include "ops/to_device.h"

namespace softalign {

namespace {

// Words whose logits are in memory at a time: those of a whole batch would need far more.
constexpr std::int64_t words_at_once = 512;

at::Tensor to_matrix(const std::vector<std::int64_t>& values, std::int64_t rows, std::int64_t columns,
                     const at::Device& device) {
    return to_device(values, device).view({rows, columns});
}

at::Tensor source_values(const Batch& batch, const at::Device& device) {
    if (batch.depth == 0) {
        return to_matrix(batch.source, batch.sentences, batch.source_width, device);
    }
    return to_device(at::tensor(batch.features, at::kFloat), device)
        .view({batch.sentences, batch.source_width, batch.depth});
}

// The positions that turn the targets of a batch round.
at::Tensor target_order(const TensorBatch& batch) {
    return reversed_order(batch.target_lengths, batch.target_out.size(1), batch.target_out.device());
}

// The batch with the words of its targets last to first, the begin and the end of sentence where they were.
TensorBatch with_reversed_targets(TensorBatch batch) {
    const at::Tensor order = target_order(batch);
    const at::Tensor begin = at::zeros({order.size(0), 1}, order.options());
    batch.target_in = batch.target_in.gather(1, at::cat({begin, order.narrow(1, 0, order.size(1) - 1) + 1}, 1));
    batch.target_out = batch.target_out.gather(1, order);
    if (batch.alignment.defined()) {
        batch.alignment = batch.alignment.gather(1, order.unsqueeze(2).expand_as(batch.alignment));
    }
    return batch;
}

template <typename T>
std::vector<T> each_twice(const std::vector<T>& values) {
    std::vector<T> result;
    for (const T& value : values) {
        result.insert(result.end(), 2, value);
    }
    return result;
}

// Each sentence twice, so that packing, which keeps the order of sentences of one length, puts the two copies of every
// word next to each other.
TensorBatch each_twice(const TensorBatch& batch) {
    const auto rows = [](const at::Tensor& values) { return values.repeat_interleave(2, 0); };
    TensorBatch result;
    result.source = {rows(batch.source.values), each_twice(batch.source.lengths), each_twice(batch.source.grids)};
    result.target_in = rows(batch.target_in);
    result.target_out = rows(batch.target_out);
    result.target_lengths = each_twice(batch.target_lengths);
    result.alignment = batch.alignment.defined() ? rows(batch.alignment) : batch.alignment;
    return result;
}

// The expected risk of a batch of candidates, and what the negative log-probability of each is multiplied by so that
// the sum has the gradient of the risk.
struct RiskGradient {
    double risk = 0.0;
    at::Tensor weights;     // [N] double
    at::Tensor references;  // [N] bool, true = a reference
};

// log_probs [N] double on the host.
RiskGradient risk_of(const CandidateBatch& batch, const at::Tensor& log_probs, const MinimumRiskConfig& config) {
    RiskGradient result;
    result.weights = at::zeros_like(log_probs);
    result.references = at::zeros({log_probs.size(0)}, at::kBool);
    const double* of_row = log_probs.data_ptr<double>();
    double* weight = result.weights.data_ptr<double>();
    std::int64_t row = 0;
    for (const std::int64_t count : batch.counts) {
        result.references[row] = true;
        const std::int64_t first = config.reference ? row : row + 1;
        row += count;
        const ExpectedRisk expected = expected_risk(
            {of_row + first, of_row + row}, {batch.risks.begin() + first, batch.risks.begin() + row}, config.alpha);
        result.risk += expected.risk;
        std::transform(expected.gradient.begin(), expected.gradient.end(), weight + first, std::negate<>());
    }
    return result;
}

}  // namespace

TensorBatch to_tensors(const Batch& batch, const at::Device& device) {
    TensorBatch result;
    result.source = {source_values(batch, device), batch.source_lengths, batch.grids};
    result.target_in = to_matrix(batch.target_in, batch.sentences, batch.target_width, device);
    result.target_out = to_matrix(batch.target_out, batch.sentences, batch.target_width, device);
    result.target_lengths = batch.target_lengths;
    if (const at::Tensor alignment = alignment_of(batch); alignment.defined()) {
        result.alignment = to_device(alignment, device);
    }
    return result;
}

Seq2Seq::Seq2Seq(const ModelConfig& config, const VocabularySizes& sizes) : config_(config), sizes_(sizes) {
    if (!has_features()) {
        source_embedding_ = declare("source_embedding", {sizes.source, config.embedding_size}, Role::embedding);
    }
    if (config.tied_embeddings != TiedEmbeddings::all) {
        target_embedding_ = declare("target_embedding", {sizes.target, config.embedding_size}, Role::embedding);
    }
    source_ = add_part("source", make_source_embedding(config, source_embedding_));
    encoder_ = add_part("encoder", make_encoder(config));
    const std::shared_ptr<Decoder> decoder = add_part("decoder", make_decoder(config, encoder_->annotation_size()));
    decoder_ = decoder;
    if (config.tied_embeddings == TiedEmbeddings::none) {
        output_weight_ = declare("output_weight", {sizes.target, decoder->readout_size()}, Role::matrix);
    }
    if (config.decoder.lexical) {
        decoder_ = add_part("lexical", std::make_shared<LexicalDecoder>(config, decoder));
        lexical_weight_ = declare("lexical_output_weight", {sizes.target, config.embedding_size}, Role::matrix);
    }
    output_bias_ = declare("output_bias", {sizes.target}, Role::bias);
}

void Seq2Seq::initialize(std::uint64_t seed) {
    Part::initialize(config_.init, seed);
}

std::int64_t Seq2Seq::parameter_count() const {
    std::int64_t count = 0;
    for (const at::Tensor& parameter : parameters()) {
        count += parameter.numel();
    }
    return count;
}

std::vector<PartWork> Seq2Seq::work(const BatchShape& on) const {
    std::vector<PartWork> parts = source_->work(on);
    const BatchShape embedded = source_->embedded_shape(on);
    for (auto&& of_part : {encoder_->work(embedded), decoder_->work(embedded)}) {
        parts.insert(parts.end(), of_part.begin(), of_part.end());
    }
    parts.push_back({"output", flop(on.outputs, output_weight()) + flop(on.outputs, lexical_weight_)});
    return parts;
}

const at::Tensor& Seq2Seq::target_table() const {
    return target_embedding_.defined() ? target_embedding_ : source_embedding_;
}

const at::Tensor& Seq2Seq::output_weight() const {
    return output_weight_.defined() ? output_weight_ : target_table();
}

Encoded Seq2Seq::encode(const SourceBatch& source, const Execution& execution) const {
    return encoder_->encode(source_->embed(source, execution), execution);
}

Seq2Seq::TeacherForced Seq2Seq::teacher_forced(const TensorBatch& given, const Execution& execution) const {
    const TensorBatch batch = config_.decoder.reverse_target ? with_reversed_targets(given) : given;
    const Encoded encoded = encode(batch.source, execution);
    const PackedRows rows = pack_rows(batch.target_lengths, batch.target_in.size(1), batch.target_in.device());
    const at::Tensor words = look_up(target_table(), pack(batch.target_in, rows), execution);  // [P,E]
    // One after the other: the noise that each draws, and the order in which gradients are added, depend on it.
    StatePtr start = decoder_->start(encoded, execution);
    MemoryPtr memory = decoder_->prepare(encoded, execution);
    if (batch.source_rows.defined()) {
        start = start->select(batch.source_rows);
        memory = memory->select(batch.source_rows);
    }
    const at::Tensor kept = drop_rows(words, config_.dropout.target_words, execution.noise);
    const at::Tensor embedded = dropout(kept, config_.dropout.target_embedding, execution.noise);
    const bool guided = batch.alignment.defined();
    const TaughtSteps steps = decoder_->teacher_forced({embedded, rows, guided ? Weights::wanted : Weights::unwanted},
                                                       *memory, *start, execution);
    TeacherForced result{steps.readouts, pack(batch.target_out, rows), rows.places};
    if (guided) {
        result.weights = steps.weights;
        result.alignment = pack(batch.alignment, rows);
    }
    return result;
}

Loss Seq2Seq::with_alignment_cost(Loss loss, const TeacherForced& forced, const GuidedAlignmentConfig& guided,
                                  double share) {
    if (!forced.alignment.defined()) {
        return loss;
    }
    const at::Tensor cost = alignment_cost(forced.weights, forced.alignment, guided.cost) * share;
    loss.objective = loss.objective + cost * guided.weight;
    loss.alignment = cost.detach();
    return loss;
}

Loss Seq2Seq::loss(const TensorBatch& batch, const Smoothing& smoothing, const Execution& execution,
                   const GuidedAlignmentConfig& guided) const {
    const TeacherForced forced = teacher_forced(batch, execution);
    const CrossEntropy sums = output_loss(dropout(forced.readouts, config_.dropout.output, execution.noise),
                                          output_layer(), forced.targets, smoothing, execution);
    return with_alignment_cost(
        {sums.objective, sums.negative_log_prob, forced.targets.size(0), batch.source.sentences()}, forced, guided,
        1.0);
}

Loss Seq2Seq::r_drop_loss(const TensorBatch& batch, const RDrop& objective, const Execution& execution,
                          const GuidedAlignmentConfig& guided) const {
    const TeacherForced forced = teacher_forced(each_twice(batch), execution);
    const CrossEntropy sums = softalign::r_drop_loss(dropout(forced.readouts, config_.dropout.output, execution.noise),
                                                     output_layer(), forced.targets, objective, execution);
    return with_alignment_cost(
        {sums.objective, sums.negative_log_prob, forced.targets.size(0) / 2, batch.source.sentences()}, forced, guided,
        0.5);
}

Loss Seq2Seq::risk_loss(const CandidateBatch& batch, const MinimumRiskConfig& config, const Smoothing& smoothing,
                        const Execution& execution) const {
    const TeacherForced forced = teacher_forced(batch.translations, execution);
    const at::Tensor readouts = dropout(forced.readouts, config_.dropout.output, execution.noise);
    const at::Tensor row_of_word = at::floor_divide(forced.places, batch.translations.target_out.size(1));  // [P]
    const auto rows = static_cast<std::int64_t>(batch.risks.size());
    at::Tensor log_probs = at::zeros({rows}, at::kDouble);
    {
        const at::NoGradGuard no_grad;
        const at::Tensor of_words = word_log_probs(readouts, forced.targets, execution).to(at::kCPU, at::kDouble);
        log_probs.index_add_(0, row_of_word.to(at::kCPU), of_words);
    }
    const RiskGradient risk = risk_of(batch, log_probs, config);
    const at::Tensor weights = risk.weights.to(readouts.device()).index_select(0, row_of_word);
    // A sum with the gradient of the risk; its own value means nothing.
    const at::Tensor sum = weighted_output_loss(readouts, output_layer(), forced.targets, weights, execution);
    Loss loss;
    loss.objective = sum - sum.detach() + risk.risk;
    const at::Tensor references = risk.references.to(readouts.device());
    const at::Tensor words = references.index_select(0, row_of_word).nonzero().squeeze(1);
    if (config.cross_entropy_weight > 0.0) {
        const CrossEntropy sums = output_loss(readouts.index_select(0, words), output_layer(),
                                              forced.targets.index_select(0, words), smoothing, execution);
        loss.objective = loss.objective + sums.objective * config.cross_entropy_weight;
    }
    loss.negative_log_prob = -log_probs.masked_select(risk.references).sum().to(sum.options());
    loss.tokens = words.size(0);
    loss.sentences = batch.translations.source.sentences();
    loss.risk = risk.risk;
    return loss;
}

at::Tensor Seq2Seq::in_text_order(const at::Tensor& values, const TeacherForced& forced, const TensorBatch& batch,
                                  std::int64_t filler) const {
    const at::Tensor written = at::full({batch.target_out.numel()}, filler, values.options().requires_grad(false))
                                   .index_copy(0, forced.places, values)
                                   .view(batch.target_out.sizes());
    return config_.decoder.reverse_target ? written.gather(1, target_order(batch)) : written;
}

TensorBatch Seq2Seq::with_own_words(const TensorBatch& batch, double truth, const Execution& execution) const {
    const at::NoGradGuard no_grad;
    TensorBatch result = batch;
    result.alignment.reset();  // nobody reads its attention
    const TeacherForced forced = teacher_forced(result, execution);
    const at::Tensor readouts = dropout(forced.readouts, config_.dropout.output, execution.noise);
    const double share = 1.0 - truth;
    // On the host, which has to know how many words are replaced.
    const at::Tensor kept = share < 1.0 ? execution.noise->mask({readouts.size(0)}, share, at::kFloat)
                                        : at::zeros({readouts.size(0)}, at::kFloat);
    const at::Tensor replaced = kept.eq(0.0).nonzero().squeeze(1);
    at::Tensor predicted = at::full_like(forced.targets, -1);
    for (const at::Tensor& part : replaced.split(words_at_once)) {
        if (part.size(0) > 0) {
            const at::Tensor rows = to_device(part, readouts.device());
            const at::Tensor logits = output_logits(readouts.index_select(0, rows), output_layer(), execution);
            predicted.index_copy_(0, rows, logits.argmax(1));
        }
    }
    // The word at position p of the text is read from p + 1 of target_in, in either direction.
    const std::int64_t others = batch.target_in.size(1) - 1;
    const at::Tensor own = in_text_order(predicted, forced, batch, -1).narrow(1, 0, others);
    const at::Tensor given = batch.target_in.narrow(1, 1, others);
    result.target_in = at::cat({batch.target_in.narrow(1, 0, 1), at::where(own.ge(0), own, given)}, 1);
    result.alignment = batch.alignment;
    return result;
}

at::Tensor Seq2Seq::token_log_probs(const TensorBatch& batch, const Execution& execution) const {
    const TeacherForced forced = teacher_forced(batch, execution);
    return in_text_order(word_log_probs(forced.readouts, forced.targets, execution), forced, batch, 0);
}

at::Tensor Seq2Seq::word_log_probs(const at::Tensor& readouts, const at::Tensor& targets,
                                   const Execution& execution) const {
    const std::vector<at::Tensor> parts = readouts.split(words_at_once);
    const std::vector<at::Tensor> words = targets.split(words_at_once);
    std::vector<at::Tensor> log_probs;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const at::Tensor logits = output_logits(parts[i], output_layer(), execution);
        log_probs.push_back(logits.log_softmax(1).gather(1, words[i].unsqueeze(1)).squeeze(1));
    }
    return at::cat(log_probs);
}

at::Tensor Seq2Seq::attention(const TensorBatch& batch, const Execution& execution) const {
    const bool reversed = config_.decoder.reverse_target;
    const TensorBatch& written = reversed ? with_reversed_targets(batch) : batch;
    const Encoded encoded = encode(written.source, execution);
    const at::Tensor words =
        look_up(target_table(), written.target_in.transpose(0, 1).contiguous(), execution);  // [T,B,E]
    const DecoderSteps steps = decoder_->step(words, *decoder_->prepare(encoded, execution),
                                              *decoder_->start(encoded, execution), Weights::wanted, execution);
    const at::Tensor weights = steps.weights.transpose(0, 1);  // [B,T,S]
    if (!reversed) {
        return weights;
    }
    return weights.gather(1, target_order(batch).unsqueeze(2).expand(weights.sizes()));
}

TargetStep Seq2Seq::step(const at::Tensor& previous, const DecoderMemory& memory, const DecoderState& state,
                         const Execution& execution, const StepRequest& request) const {
    const at::Tensor words =
        look_up(target_table(), to_device(previous, target_table().device()), execution).unsqueeze(0);  // [1,N,E]
    DecoderSteps steps = decoder_->step(words, memory, state, request.weights, execution);
    const at::Tensor readouts = steps.readouts.squeeze(0);
    const OutputLayer* const asked = request.words;
    return {asked != nullptr ? output_logits(readouts, *asked) : output_logits(readouts, output_layer(), execution),
            steps.weights.defined() ? steps.weights.squeeze(0) : steps.weights, steps.state};
}

}  // namespace softalign

#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/grid.h"
#include "config/config.h"
#include "data/batch.h"
#include "model/decoder.h"
#include "model/encoder.h"
#include "model/part.h"
#include "model/source/source.h"
#include "ops/attention.h"
#include "ops/execution.h"
#include "ops/loss.h"
#include "ops/output_layer.h"

namespace softalign {

struct VocabularySizes {
    std::int64_t source = 0;  // of features their width D
    std::int64_t target = 0;
};

// A Batch as tensors on a device.
struct TensorBatch {
    SourceBatch source;
    at::Tensor target_in;                      // [B,T] int64
    at::Tensor target_out;                     // [B,T] int64
    std::vector<std::int64_t> target_lengths;  // [B] true tokens of each row, which come first
    // [N] int64 on the host: the sentence of the source that each target translates; undefined: each its own, N = B.
    at::Tensor source_rows{};
    // [B,T,S] float, what attention should be: a target word's row has the same weight at each position that it is
    // linked to, together 1, or is 0 where it has no link; undefined = no sentence has an alignment.
    at::Tensor alignment{};
};

TensorBatch to_tensors(const Batch& batch, const at::Device& device);

// Translations of the sentences of a batch that minimum risk training compares.
struct CandidateBatch {
    TensorBatch translations;          // with source_rows; those of a sentence next to each other, its reference first
    std::vector<std::int64_t> counts;  // [B] of the translations of each sentence, its reference included: >= 1
    std::vector<double> risks;         // [N]
};

// Sums over the true target tokens of a batch, end-of-sentence included.
struct Loss {
    // Scalar, what training minimises: cross-entropy with label smoothing, in nats, and the weighted cost of attention.
    at::Tensor objective;
    at::Tensor negative_log_prob;  // scalar, detached: the same without smoothing
    std::int64_t tokens = 0;
    std::int64_t sentences = 0;
    // Scalar, detached: the cost of attention under guided alignment; undefined where the batch has no alignment.
    at::Tensor alignment{};
    double risk = 0.0;  // the expected risk of the sentences, summed, under minimum risk training
};

struct TargetStep {
    at::Tensor logits;   // [N,V], or [N,K] for K words only
    at::Tensor weights;  // [N,S]; undefined without attention, and may be where they are unwanted
    StatePtr state;
};

// What a step is to compute.
struct StepRequest {
    const OutputLayer* words = nullptr;  // the rows of words: logits of these only; null: of all
    Weights weights = Weights::wanted;   // of attention; each part that does without them saves time
};

// The whole model: embeddings, encoder, decoder with attention, output layer. With decoder.reverse_target it
// generates from the last word to the first, then the end of sentence: batches are in text order, steps in generation
// order.
class Seq2Seq : public Part {
public:
    // The parameters are only declared (model/part.h).
    Seq2Seq(const ModelConfig& config, const VocabularySizes& sizes);

    // Initialises every parameter from the seed, as config.init says.
    void initialize(std::uint64_t seed);

    // Teacher-forced loss of a batch. Where the batch has an alignment, attention is guided by it
    // (model/guided_alignment.h). REQUIRES: a model with attention there.
    Loss loss(const TensorBatch& batch, const Smoothing& smoothing, const Execution& execution,
              const GuidedAlignmentConfig& guided = {}) const;

    // The objective of R-Drop (ops/loss.h) of two passes, which draw their dropout independently. Tokens and sentences
    // are those of the batch; the cost of attention is the mean of both passes.
    Loss r_drop_loss(const TensorBatch& batch, const RDrop& objective, const Execution& execution,
                     const GuidedAlignmentConfig& guided = {}) const;

    // The objective of minimum risk training (model/minimum_risk.h), summed over the sentences: the expected risk of
    // the candidates, and the weighted cross-entropy of the reference. Without config.reference, the reference is not a
    // candidate. Tokens are those of the references, and so is the negative log-probability. The source is encoded
    // once for all candidates of a sentence.
    Loss risk_loss(const CandidateBatch& batch, const MinimumRiskConfig& config, const Smoothing& smoothing,
                   const Execution& execution) const;

    // The batch for scheduled sampling (Bengio et al. 2015) in two passes (Mihaylova and Martins 2019): each word that
    // the decoder reads, but the first, is with probability 1 - truth the most probable one given the true words before
    // it, predicted with dropout and without gradients. truth in [0,1). REQUIRES: execution.noise.
    TensorBatch with_own_words(const TensorBatch& batch, double truth, const Execution& execution) const;

    // log p(word | words generated before it, source) of every target word of a batch in text order, natural logarithm:
    // [B,T], 0 at padding.
    at::Tensor token_log_probs(const TensorBatch& batch, const Execution& execution) const;

    // The attention weights of every target word of a batch under teacher forcing, in text order: [B,T,S]; meaningless
    // at padding. REQUIRES: a model with attention.
    at::Tensor attention(const TensorBatch& batch, const Execution& execution) const;

    Encoded encode(const SourceBatch& source, const Execution& execution) const;

    // Whether the source is features rather than words, and the grid of the annotations of a grid of them.
    bool has_features() const { return config_.source.size > 0; }
    Grid annotation_grid(const Grid& source) const { return source_->embedded_grid(source); }

    // Its prepare, prepare_for_many, start and has_attention are what a search needs beside step().
    const Decoder& decoder() const { return *decoder_; }
    bool has_attention() const { return decoder_->has_attention(); }

    // One step for N rows: previous [N] int64 on any device.
    TargetStep step(const at::Tensor& previous, const DecoderMemory& memory, const DecoderState& state,
                    const Execution& execution, const StepRequest& request = {}) const;

    // Copies the rows of the output layer for these words, with Precision::int8 rounded. ids [K] int64 on the model's
    // device.
    OutputLayer output_words(const at::Tensor& ids, const Execution& execution) const {
        return rows_of_words(output_layer(), ids, execution);
    }

    const ModelConfig& config() const { return config_; }
    const VocabularySizes& sizes() const { return sizes_; }
    std::int64_t parameter_count() const;

    // The products of a teacher-forced loss: those of the source's embedding, the encoder's, the decoder's and those of
    // the "output" layer, always the same parts in the same order.
    std::vector<PartWork> work(const BatchShape& on) const;

private:
    // The decoder's output for the P true words of a batch under teacher forcing; packed.
    struct TeacherForced {
        at::Tensor readouts;     // [P,R], without dropout
        at::Tensor targets;      // [P] the words themselves
        at::Tensor places;       // [P] their positions in the rectangle [B,T], in generation order
        at::Tensor weights{};    // [P,S] of attention, where the batch has an alignment
        at::Tensor alignment{};  // [P,S] that of the batch
    };

    TeacherForced teacher_forced(const TensorBatch& given, const Execution& execution) const;
    // log p of each word from its readout, with dropout: [P].
    at::Tensor word_log_probs(const at::Tensor& readouts, const at::Tensor& targets, const Execution& execution) const;
    // What was computed for each word, values [P], as a rectangle [B,T] in text order; `filler` at padding.
    at::Tensor in_text_order(const at::Tensor& values, const TeacherForced& forced, const TensorBatch& batch,
                             std::int64_t filler) const;
    // Adds the cost of attention to a loss; `share` of the passes.
    static Loss with_alignment_cost(Loss loss, const TeacherForced& forced, const GuidedAlignmentConfig& guided,
                                    double share);
    const at::Tensor& target_table() const;
    const at::Tensor& output_weight() const;  // [V,R]
    OutputLayer output_layer() const { return {output_weight(), output_bias_, lexical_weight_}; }

    ModelConfig config_;
    VocabularySizes sizes_;
    at::Tensor source_embedding_;  // [Vs,E]; undefined if the source is features
    at::Tensor target_embedding_;  // [Vt,E]; undefined if tied to the source embedding
    at::Tensor output_weight_;     // [Vt,R]; undefined if tied to the target embedding
    at::Tensor output_bias_;       // [Vt]
    at::Tensor lexical_weight_;    // [Vt,E], what the output layer multiplies the lexical model by; undefined without
    std::shared_ptr<SourceEmbedding> source_;
    std::shared_ptr<Encoder> encoder_;
    std::shared_ptr<const Decoder> decoder_;  // the part `decoder`, or the part `lexical` around it
};

}  // namespace softalign

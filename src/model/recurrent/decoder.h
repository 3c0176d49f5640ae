#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "config/config.h"
#include "model/attention/attention.h"
#include "model/decoder.h"
#include "model/recurrent/cell.h"
#include "model/recurrent/readout.h"
#include "ops/execution.h"
#include "ops/packed_rows.h"

namespace softalign {

struct RecurrentMemory : DecoderMemory {
    AttentionMemory attention;
    bool sharable = false;  // Attention::shares
    // Whether the values are C h_j and W_c h_j instead of h_j (RecurrentDecoder::prepare_for_many).
    bool projected = false;

    RecurrentMemory(AttentionMemory memory, bool is_sharable, bool is_projected)
        : attention(std::move(memory)), sharable(is_sharable), projected(is_projected) {}
    MemoryPtr select(const at::Tensor& rows) const override;
    MemoryPtr share(const at::Tensor& rows) const override;
};

struct RecurrentDecoderState : DecoderState {
    std::vector<RecurrentState> layers;
    // What the lowest layer reads at the next step besides the word. With input feeding: the last attentional vector
    // [N,R]. With look_generate_update: the last context [N,C], undefined before the first step. Else undefined.
    at::Tensor feed;
    AttentionState attention;

    StatePtr select(const at::Tensor& rows) const override;
    RecurrentDecoderState first(std::int64_t count) const;
};

// Recurrent layers with attention and a readout g (model/recurrent/readout.h), in the order given by
// config.decoder.attend.
//
// before (Bahdanau et al. 2014, printed form):
//   c_i = attend(s_{i-1}), s_i = f(s_{i-1}, [E y_{i-1}], c_i), t_i = g(s_i, E y_{i-1}, c_i); s_{i-1} in g with
//   readout_state: previous.
// look_generate_update (the authors' code): c_i = attend(s_{i-1}), t_i = g(s_{i-1}, E y_{i-1}, c_i),
//   s_i = f(s_{i-1}, E y_i, c_i). y_i is known only at the next step, which starts with this update.
// between (conditional GRU; Sennrich et al. 2017, section 2.1): s' = f1(s_{i-1}, E y_{i-1}), c_i = attend(s'),
//   s_i = f2(s', c_i), t_i = g(s_i, E y_{i-1}, c_i). f1 and f2 are the lowest layer.
// after (Luong et al. 2015, equation 5):
//   h_t = f(h_{t-1}, [E y_{t-1} ; t_{t-1} with input feeding]), c_t = attend(h_t), t_t = g(h_t, c_t).
// never (Sutskever et al. 2014): h_t = f(h_{t-1}, E y_{t-1}), t_t = g(h_t).
// s and h are the top layer's; the context, or the fed vector, enters the lowest layer, and with deep_context the
// context enters all.
class RecurrentDecoder : public Decoder {
public:
    RecurrentDecoder(const ModelConfig& config, std::int64_t annotation_size);

    MemoryPtr prepare(const Encoded& encoded, const Execution& execution) const override;

    // The context is used only through C and W_c, which commute with a weighted mean; so they are applied once to the
    // annotations instead of to every hypothesis's context at every step. Not with attend: between, which has no C, nor
    // where a norm follows C.
    MemoryPtr prepare_for_many(const MemoryPtr& memory, const Execution& execution) const override;

    // For each layer: s_0 = tanh(W x + b), where x is the last encoder state, the mean annotation or the first backward
    // state; or a copy of the encoder layer's last state; or zeros.
    StatePtr start(const Encoded& encoded, const Execution& execution) const override;

    DecoderSteps step(const at::Tensor& embedded, const DecoderMemory& memory, const DecoderState& state,
                      Weights weights, const Execution& execution) const override;

    TaughtSteps teacher_forced(const TaughtWords& words, const DecoderMemory& memory, const DecoderState& state,
                               const Execution& execution) const override;

    bool has_attention() const override { return attention_->has_weights(); }
    std::int64_t readout_size() const override { return readout_->size(); }

    // "keys" (all that attention computes once per sentence), "first state", "decoder inputs", "decoder states",
    // "attention" (of all steps), "readout".
    std::vector<PartWork> work(const BatchShape& on) const override;

private:
    // What the steps of one run share and what they collect.
    struct Run {
        RecurrentMemory memory;
        Weights weights_wanted;
        const Execution& execution;
        std::vector<at::Tensor> masks;  // per layer: mask of the recurrent state, [N,H]; undefined = none
        RecurrentDecoderState state;
        std::vector<at::Tensor> outputs;   // [N,H] per step: what the readout reads of the layers
        std::vector<at::Tensor> contexts;  // [N,C]
        std::vector<at::Tensor> weights;   // [N,S]
        std::vector<at::Tensor> readouts;  // [N,R], with input feeding only

        // Goes on with the first `count` rows.
        void keep_first(std::int64_t count);
    };

    void make_layers(const ModelConfig& config);
    void make_initial_state(std::int64_t annotation_size);
    RecurrentState first_state(const Encoded& encoded, std::size_t layer, const Execution& execution) const;
    std::vector<at::Tensor> recurrent_masks(std::int64_t rows, const at::Tensor& like, Noise* noise) const;

    // The words with `count` at the start of a batch as config.decoder.first_word wants them.
    at::Tensor with_first_words(const at::Tensor& words, std::int64_t count) const;
    // How teacher forcing runs, always without padding: step by step; all steps with additive attention as one
    // function; or each layer as one, and then the attention of all steps at once.
    enum class Form { steps, additive, layers };
    void choose_form(const ModelConfig& config);
    bool has_library_form_of(Form form, const Execution& execution) const;
    // taught.embedded as with_first_words() returns them.
    TaughtSteps run_additive(const TaughtWords& taught, const AttentionMemory& memory, const RecurrentState& start,
                             const Execution& execution) const;
    // The masks [P,H] of what each layer reads of the one below, drawn in the order of the steps, so that every form
    // has the same; undefined = none.
    std::vector<at::Tensor> masks_between_layers(const PackedRows& rows, const Execution& execution) const;
    TaughtSteps run_layers(const TaughtWords& taught, const AttentionMemory& memory, const RecurrentDecoderState& start,
                           const Execution& execution) const;
    TaughtSteps run_steps(const TaughtWords& taught, const RecurrentMemory& memory, const RecurrentDecoderState& start,
                          const Execution& execution) const;
    // The rest of both where no step needs the attention of another: the attention of all steps, from the top layer's
    // outputs [P,H].
    TaughtSteps attend_together(const at::Tensor& outputs, const TaughtWords& taught, const AttentionMemory& memory,
                                AttentionState state, const Execution& execution) const;
    // Whether no step needs the attention of another, but there is one.
    bool attends_together() const {
        return config_.attend == AttendWhen::after && !config_.input_feeding && !attention_->sequential();
    }

    // The attention of one step: query [N,H] -> context [N,C].
    at::Tensor look(const at::Tensor& query, Run& run) const;
    // Advances all layers by one step, from the lowest layer's projected input; returns the top layer's output. With
    // deep_context, the layers above the lowest read the context [N,C] as well.
    at::Tensor advance(const at::Tensor& projected, const at::Tensor& context, Run& run) const;
    at::Tensor advance_above(const at::Tensor& context, Run& run) const;  // the layers above the lowest
    // One step from a projected word [N,G*H].
    void take_step(const at::Tensor& word, Run& run) const;
    DecoderSteps finish(const at::Tensor& embedded, Run& run) const;
    // The attention of all steps at once, for decoders in which no step needs that of another.
    DecoderSteps finish_together(Run& run) const;

    DecoderConfig config_;
    DropoutConfig dropout_;
    std::vector<std::shared_ptr<RecurrentCell>> layers_;
    std::shared_ptr<RecurrentCell> conditional_;  // f2; null except with attend: between
    std::shared_ptr<Attention> attention_;
    Form form_ = Form::steps;
    std::shared_ptr<Readout> readout_;
    std::vector<at::Tensor> weight_init_;  // per layer: [H or 2H,·]; empty for zeros and copies
    std::vector<at::Tensor> bias_init_;    // [H or 2H]
};

}  // namespace softalign

#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "model/decoder.h"
#include "model/seq2seq.h"
#include "model/source/source.h"
#include "ops/attention.h"
#include "ops/output_layer.h"
#include "search/restrictions.h"
#include "search/step_model.h"

namespace softalign {

// What a search needs of its model.
struct SteppingOptions {
    // For each sentence the tokens that may be written, on the model's device; null: all.
    const Candidates* candidates = nullptr;
    std::int64_t hypotheses = 1;        // about how many rows a sentence will have
    Weights weights = Weights::wanted;  // whether steps give their attention
};

// A batch of source sentences and a model, as the search sees them. The constructor runs the encoder. Gradients are not
// recorded. Several threads may search with one model at the same time, each with its own stepper.
class Seq2SeqStepper : public StepModel {
public:
    // source: ids or features on the model's device. REQUIRES: the model and what `execution` names outlive this.
    Seq2SeqStepper(const Seq2Seq& model, const SourceBatch& source, const Execution& execution,
                   const SteppingOptions& options = {});

    StepOutput step(const at::Tensor& previous) override;
    void select(const at::Tensor& rows) override;

private:
    const Seq2Seq& model_;
    Execution execution_;
    MemoryPtr sentences_;  // one row a sentence
    MemoryPtr memory_;     // one row a hypothesis
    StatePtr state_;
    Weights weights_;
    Candidates candidates_;  // undefined tensors: all tokens
    OutputLayer words_;      // of the candidates
    at::Tensor allowed_;     // [N,K] bool: candidates_.mask, one row a hypothesis
    // The sentence of each row. As long as a step does not change it, the memory, by far the largest part, is kept too.
    std::vector<std::int64_t> sentence_of_row_;
};

}  // namespace softalign

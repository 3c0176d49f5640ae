#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "model/decoder.h"
#include "model/seq2seq.h"
#include "model/source/source.h"
#include "search/restrictions.h"
#include "search/step_model.h"

namespace softalign {

// A batch of source sentences and a model, as the search sees them. The constructor runs the encoder. Gradients are not
// recorded. Several threads may search with one model at the same time, each with its own stepper.
class Seq2SeqStepper : public StepModel {
public:
    // source: ids on the model's device. `candidates`: for each sentence the tokens that may be written, on the same
    // device; null: all. `hypotheses`: about how many rows a sentence will have. REQUIRES: the model and what
    // `execution` names outlive this.
    Seq2SeqStepper(const Seq2Seq& model, const SourceBatch& source, const Execution& execution,
                   const Candidates* candidates = nullptr, std::int64_t hypotheses = 1);

    StepOutput step(const at::Tensor& previous) override;
    void select(const at::Tensor& rows) override;

private:
    const Seq2Seq& model_;
    Execution execution_;
    MemoryPtr sentences_;  // one row a sentence
    MemoryPtr memory_;     // one row a hypothesis
    StatePtr state_;
    Candidates candidates_;  // undefined tensors: all tokens
    OutputWords words_;      // of the candidates
    at::Tensor allowed_;     // [N,K] bool: candidates_.mask, one row a hypothesis
    // The sentence of each row. As long as a step does not change it, the memory, by far the largest part, is kept too.
    std::vector<std::int64_t> sentence_of_row_;
};

}  // namespace softalign

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/batch.h"
#include "model/seq2seq.h"

namespace softalign {

// The size of a batch: R rows of S source and T target positions, and how many words reach the output layer.
struct Rectangle {
    std::int64_t rows = 0;
    std::int64_t source = 0;
    std::int64_t target = 0;
    std::int64_t outputs = 0;
};

// The matrix products of one part of a model, as floating-point operations of its forward pass: a product of [m,k] and
// [k,n] has 2mkn.
struct PartWork {
    std::string name;
    double forward = 0.0;
};

// Each product of the forward pass has two in the backward pass, the gradients of its left and of its right factor,
// each as large as itself.
constexpr double backward_per_forward = 2.0;

// The products of a teacher-forced loss, always the same parts in the same order: "encoder inputs", "encoder states",
// "self-attention", "keys" (all that attention computes once per sentence), "first state", "decoder inputs", "decoder
// states", "attention" (of all steps), "readout", "output".
std::vector<PartWork> count_products(const ModelConfig& config, const VocabularySizes& sizes, const Rectangle& on);

double forward_sum(const std::vector<PartWork>& parts);

// Adds to each part of `sum`, which may be empty.
void add_work(std::vector<PartWork>& sum, const std::vector<PartWork>& parts);

// A batch as the model sees it; and each of its sentences alone, without padding.
Rectangle rectangle_of(const Batch& batch);
std::vector<Rectangle> sentences_of(const Batch& batch);

}  // namespace softalign

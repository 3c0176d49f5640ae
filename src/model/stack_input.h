#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "base/grid.h"
#include "config/config.h"
#include "model/part.h"
#include "ops/execution.h"
#include "ops/packed_rows.h"

namespace softalign {

// The input of layers that know nothing of the order of words (Vaswani et al. 2017, sections 3.4 and 3.5):
// x_p = sqrt(E) W e_p + PE_p, W only where the layers are not as wide as the embeddings. In a grid of several rows, the
// first half of PE encodes the row and the second half the column. The parameters belong to the part that uses it.
class StackInput {
public:
    // For layers of width H = `size`.
    StackInput(const ModelConfig& config, std::int64_t size, const Declare& declare);

    // embedded [P,E], the words of `rows`, or the positions of `grids` unless that is empty -> [P,H]
    at::Tensor operator()(const at::Tensor& embedded, const SentenceRows& rows, const std::vector<Grid>& grids,
                          const Execution& execution) const;

    // The same for sequences: positions [P] int64 on the device of embedded, each below `end`.
    at::Tensor operator()(const at::Tensor& embedded, const at::Tensor& positions, std::int64_t end,
                          const Execution& execution) const;

    double work(std::int64_t rows) const;

private:
    at::Tensor words(const at::Tensor& embedded, const Execution& execution) const;

    at::Tensor weight_;     // `weight_in` [H,E]; undefined if E = H
    at::Tensor positions_;  // `positions` [size,H]; undefined: sinusoids
    double dropout_;
};

// Vaswani et al. 2017, section 3.5: PE(p, 2i) = sin(p / 10000^(2i/size)), PE(p, 2i + 1) = cos of the same.
// [length,size]
at::Tensor sinusoids(std::int64_t length, std::int64_t size, const at::TensorOptions& options);

// The same of the positions of grids, which are those of `rows`: in a grid of several rows PE(row) of width size / 2,
// rounded down, then PE(column) of the rest; in a grid of one row PE(column) of the whole width. [P,size]
at::Tensor grid_sinusoids(const SentenceRows& rows, const std::vector<Grid>& grids, std::int64_t size,
                          const at::TensorOptions& options);

}  // namespace softalign

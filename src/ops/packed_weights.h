#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "kernels/packed_matrix.h"

namespace torch::autograd {
struct AutogradContext;
}

namespace softalign {

// How a weight W [N,K] is applied: x W^T [rows,N] in the forward pass, x W [rows,K] in the backward pass.
enum class Pass { forward, backward };

// The weights of a model packed for products (kernels/packed_matrix.h), shared by all threads that use the model. A
// weight is packed on first use; after the weights change, repack() updates the copies. Packing a weight that lies in a
// mapped file releases its pages, so anything written to it before is lost. Products that use this object have its
// precision, including those whose weight is not packed beforehand.
class PackedWeights {
public:
    explicit PackedWeights(Precision precision = Precision::float32) : precision_(precision) {}

    Precision precision() const { return precision_; }

    // The packed form of a float32 CPU matrix with contiguous rows. May be called by several threads at once.
    const PackedMatrix& of(const at::Tensor& weight, Pass pass);

    // The number of copies, and a function that updates one of them, for a parallel loop over [0, count()) while
    // nothing else uses them.
    std::int64_t count() const { return static_cast<std::int64_t>(entries_.size()); }
    void repack(std::int64_t index);

private:
    struct Entry {
        at::Tensor weight;
        Pass pass = Pass::forward;
        PackedMatrix packed;
    };
    using Key = std::tuple<const void*, std::int64_t, std::int64_t, Pass>;  // data, rows, columns

    static void fill(Entry& entry);

    Precision precision_;
    std::mutex mutex_;
    std::map<Key, Entry*> places_;
    std::vector<std::unique_ptr<Entry>> entries_;
};

// The packed weights that give a model's products this precision; null for float32, which needs none. REQUIRES: the
// weights do not change while it is in use.
std::unique_ptr<PackedWeights> weights_rounded_to(Precision precision);

// Carries the packed weights of an autograd function, or null, from its forward pass to its backward pass.
void keep_weights(torch::autograd::AutogradContext& context, PackedWeights* packed);
PackedWeights* kept_weights(torch::autograd::AutogradContext& context);

// In the rest of this file `packed` is Execution::weights.

// Multiplies one weight by many small x in turn, such as a recurrent weight over the steps of a sequence.
template <typename T>
class RepeatedProduct;

template <>
class RepeatedProduct<float> {
public:
    RepeatedProduct(const at::Tensor& weight, Pass pass, PackedWeights* packed)
        : packed_(&(packed != nullptr ? packed : &own_)->of(weight, pass)) {}

    // y = start + x W^T, or start + x W; x and y are contiguous.
    void operator()(const float* x, std::int64_t rows, float* y, Start start, const float* bias = nullptr) const {
        of_rows(x, packed_->depth(), rows, y, start, bias);
    }
    // The same of rows that are `stride` apart.
    void of_rows(const float* x, std::int64_t stride, std::int64_t rows, float* y, Start start,
                 const float* bias = nullptr) const {
        multiply(x, rows, stride, *packed_, y, packed_->columns(), start, bias);
    }

private:
    PackedWeights own_;  // used if there are no shared ones
    const PackedMatrix* packed_;
};

template <>
class RepeatedProduct<double> {
public:
    RepeatedProduct(const at::Tensor& weight, Pass pass, PackedWeights* /*packed*/)
        : factor_(pass == Pass::forward ? weight.t() : weight) {}
    void operator()(const double* x, std::int64_t rows, double* y, Start start, const double* bias = nullptr) const {
        of_rows(x, factor_.size(0), rows, y, start, bias);
    }
    void of_rows(const double* x, std::int64_t stride, std::int64_t rows, double* y, Start start,
                 const double* bias = nullptr) const;

private:
    at::Tensor factor_;
};

// x W^T + b [rows,N], or x W [rows,K], by the fastest method available: the packed weight, if there are any and
// `weight_changes` is false; else kernels/packed_matrix.h for many rows of float32 on the CPU; else LibTorch. x
// [rows,·] a matrix with contiguous rows; bias [N] or undefined.
at::Tensor weight_product(const at::Tensor& x, const at::Tensor& weight, Pass pass, const at::Tensor& bias,
                          PackedWeights* packed, bool weight_changes);

// sum = grad^T x, or sum + grad^T x: the gradient of a weight. sum [N,K], grad [P,N], x [P,K] matrices. Uses the
// library's BLAS, or bfloat16 if the packed weights do.
enum class Sum { starts, continues };
void add_weight_gradient(at::Tensor sum, const at::Tensor& grad, const at::Tensor& x, Sum first,
                         const PackedWeights* packed);

}  // namespace softalign

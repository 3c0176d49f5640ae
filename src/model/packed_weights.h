#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "kernels/packed_matrix.h"

namespace softalign {

// Which way a weight W [N,K] is applied: x W^T [rows,N] in the forward pass, x W [rows,K] in the backward one.
enum class Pass { forward, backward };

// The weights of a model packed for products (kernels/packed_matrix.h), shared by all threads that use the model. A
// weight is packed when it is first asked for; after the weights have changed, repack() brings the copies up to date.
// Of a weight in a mapped file the memory is given back, so what was written to it before is lost.
// Products that use them are of this precision, those whose weight is not packed beforehand too.
class PackedWeights {
public:
    explicit PackedWeights(Precision precision = Precision::float32) : precision_(precision) {}

    Precision precision() const { return precision_; }

    // The packed form of a float32 CPU matrix with contiguous rows. May be called by several threads at once.
    const PackedMatrix& of(const at::Tensor& weight, Pass pass);

    // How many copies there are, and the renewal of one of them: for a parallel loop over [0, count()) while nothing
    // else uses them.
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

// What a model's products need to have this precision: null for float32, which they have without. REQUIRES: the weights
// stay as they are while it is in use.
std::unique_ptr<PackedWeights> weights_rounded_to(Precision precision);

// The packed weights that products of this thread use while the object lives; those before come back after.
class UsePackedWeights {
public:
    explicit UsePackedWeights(PackedWeights* weights);  // null: none
    ~UsePackedWeights();
    UsePackedWeights(const UsePackedWeights&) = delete;
    UsePackedWeights& operator=(const UsePackedWeights&) = delete;

private:
    PackedWeights* before_;
};

// Products of one weight with many small x, one after the other: a recurrent weight over the steps of a sequence.
template <typename T>
class RepeatedProduct;

template <>
class RepeatedProduct<float> {
public:
    RepeatedProduct(const at::Tensor& weight, Pass pass);

    // y = start + x W^T, or start + x W; rows of x and y contiguous and without gaps.
    void operator()(const float* x, std::int64_t rows, float* y, Start start, const float* bias = nullptr) const {
        multiply(x, rows, packed_->depth(), *packed_, y, packed_->columns(), start, bias);
    }

private:
    PackedWeights own_;  // where there are no shared ones
    const PackedMatrix* packed_;
};

template <>
class RepeatedProduct<double> {
public:
    RepeatedProduct(const at::Tensor& weight, Pass pass) : factor_(pass == Pass::forward ? weight.t() : weight) {}
    void operator()(const double* x, std::int64_t rows, double* y, Start start, const double* bias = nullptr) const;

private:
    at::Tensor factor_;
};

// x W^T + b [rows,N], or x W [rows,K], by the fastest way there is for it: the shared packed weights where they are in
// use and `weight_changes` is false, else kernels/packed_matrix.h for many rows of float32 on the CPU, else LibTorch.
// x [rows,·] a matrix with contiguous rows; bias [N] or undefined.
at::Tensor weight_product(const at::Tensor& x, const at::Tensor& weight, Pass pass, const at::Tensor& bias,
                          bool weight_changes);

// sum = grad^T x, or sum + grad^T x: the gradient of a weight. sum [N,K], grad [P,N], x [P,K] matrices. By the
// library's BLAS, but in bfloat16 where the packed weights in use are.
enum class Sum { starts, goes_on };
void add_weight_gradient(at::Tensor sum, const at::Tensor& grad, const at::Tensor& x, Sum first);

}  // namespace softalign

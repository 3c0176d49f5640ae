#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace softalign {

// Adds the gradients of the shards of one update in the order of a fixed tree, so that the sum is the same bytes
// whichever shard is done first: the binary tree over the smallest power of two that is not below the number of shards.
// A shard without a gradient adds nothing. Four neighbours are added as soon as all are done, by whoever finishes last,
// which frees three vectors for the next shards. So there are fewer vectors than shards: about one for each worker and
// three for every two levels of the tree. The uppermost levels are left to the caller, who adds slices in parallel.
class GradientSum {
public:
    // `like`: a flat vector of the gradient's size, type and device. REQUIRES: shards >= 1, workers >= 1.
    GradientSum(at::Tensor like, std::int64_t shards, int workers);

    // Starts a new sum, and discards what is left of an update that failed.
    void start();

    // A vector of zeros. Throws LibTorch's error if memory runs out. Thread-safe, as are give_back() and add().
    at::Tensor take();

    // Returns a vector that is not needed any more. REQUIRES: it holds zeros.
    void give_back(at::Tensor vector);

    // Adds the whole gradient of a shard: a vector from take(), or an undefined tensor if the shard has none. REQUIRES:
    // called once for each shard.
    void add(std::int64_t shard, at::Tensor gradient);

    // into += from
    struct Addition {
        at::Tensor into;
        at::Tensor from;
    };

    // What is left to add, in this order, and the vector that then holds the sum. The caller may add slice by slice,
    // and gives back each `from` and the total. REQUIRES: every shard has been added.
    struct Rest {
        std::vector<Addition> additions;
        at::Tensor total;
    };
    Rest rest();

    // The number of vectors that exist, in use or not.
    std::size_t vectors() const;

private:
    struct Node {
        bool done = false;
        at::Tensor sum;  // undefined: nothing to add
    };

    // How many neighbours are added in one pass; a power of two.
    static constexpr std::size_t together = 4;

    // Gives the node above the `count` nodes from `first` the vector that has their sum when what is put in `todo` has
    // been added.
    void unite(std::size_t first, std::size_t count, std::vector<Addition>& todo);
    void join(const std::vector<Addition>& todo);

    at::Tensor like_;
    std::int64_t shards_;
    std::size_t leaves_;  // a power of two
    std::size_t roots_;   // of the subtrees that are added up as they finish; a power of two
    mutable std::mutex mutex_;
    std::vector<Node> nodes_;  // node n is the parent of 2n and 2n + 1; shard i is node leaves_ + i
    std::vector<at::Tensor> spare_;
    std::size_t vectors_ = 0;
};

}  // namespace softalign

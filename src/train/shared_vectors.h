#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "distributed/group.h"
#include "platform/worker_pool.h"

namespace softalign {

// Flat vectors that the processes of a group have in common. Each process owns some slices of them: those it adds up,
// and whose weights it updates. REQUIRES: the group's size is a power of two; all vectors have `elements` elements, are
// contiguous and in the memory of the process.
class SharedVectors {
public:
    // REQUIRES: group and pool outlive it. `slice`: elements of a slice.
    SharedVectors(Group& group, WorkerPool& pool, std::int64_t elements, std::int64_t slice);

    // The slices that this process owns: [first_slice(), end_slice()).
    std::int64_t first_slice() const { return levels_.back().begin; }
    std::int64_t end_slice() const { return levels_.back().end; }

    // Adds up the vectors of all processes: the own slices of `values` then hold the sum, the others anything.
    // Neighbours 2i and 2i + 1 are added first, then the sums of neighbouring pairs, and so on: recursive halving,
    // which gives every element the bytes of a binary tree over the ranks. has[r]: whether rank r has anything to add;
    // REQUIRES: the same on all ranks.
    void add_up(const at::Tensor& values, const std::vector<bool>& has);

    // Gives all processes the slices that each owns: recursive doubling.
    void share(const at::Tensor& values);

    // Gives rank 0 the slices that each owns, and each the own slices of what rank 0 has. Touches nothing else.
    void gather_to_first(const at::Tensor& values);
    void scatter_from_first(const at::Tensor& values);

    // Releases the memory of what others own (platform/memory.h); it reads as zeros or as before.
    // REQUIRES: untouched_zeros made `values`.
    void release_others(const at::Tensor& values) const;

    // Of numbers, one a slice, which each process has for its own slices: fills in those of the others.
    void gather_slices(std::vector<double>& numbers) const;

private:
    struct Range {
        std::int64_t begin;  // slices
        std::int64_t end;
    };

    static Range half(const Range& whole, bool upper);
    Range range_of(int rank) const;
    void move_owned(const at::Tensor& values, bool from_first);
    at::Tensor part(const at::Tensor& values, const Range& range) const;
    Range other_half(std::size_t level) const;

    Group& group_;
    WorkerPool& pool_;
    std::int64_t elements_;
    std::int64_t slice_;
    std::vector<Range> levels_;  // what this process keeps before each halving, and after the last
    at::Tensor received_;        // [P/2], for half a vector of another process
};

}  // namespace softalign

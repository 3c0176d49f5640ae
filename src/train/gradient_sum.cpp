#include "train/gradient_sum.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/powers_of_two.h"
#include "ops/updates.h"

namespace softalign {

GradientSum::GradientSum(at::Tensor like, std::int64_t shards, int workers)
    : like_(std::move(like)),
      shards_(shards),
      leaves_(static_cast<std::size_t>(power_of_two_from(shards))),
      roots_(std::min(leaves_, static_cast<std::size_t>(power_of_two_from(workers)))) {}

void GradientSum::start() {
    for (Node& node : nodes_) {
        if (node.sum.defined()) {
            node.sum.zero_();
            give_back(std::move(node.sum));
        }
    }
    nodes_.assign(2 * leaves_, Node{});
    for (std::int64_t beyond = shards_; beyond < static_cast<std::int64_t>(leaves_); ++beyond) {
        add(beyond, at::Tensor());
    }
}

at::Tensor GradientSum::take() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!spare_.empty()) {
            at::Tensor vector = std::move(spare_.back());
            spare_.pop_back();
            return vector;
        }
    }
    at::Tensor vector = at::zeros_like(like_);
    const std::lock_guard<std::mutex> lock(mutex_);
    spare_.reserve(++vectors_);  // so that giving back never fails
    return vector;
}

void GradientSum::give_back(at::Tensor vector) {
    const std::lock_guard<std::mutex> lock(mutex_);
    spare_.push_back(std::move(vector));
}

std::size_t GradientSum::vectors() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return vectors_;
}

void GradientSum::unite(std::size_t first, std::size_t count, std::vector<Addition>& todo) {
    for (std::size_t width = count; width > 1; width /= 2, first /= 2) {
        for (std::size_t node = first; node < first + width; node += 2) {
            const at::Tensor left = std::move(nodes_[node].sum);
            const at::Tensor right = std::move(nodes_[node + 1].sum);
            if (left.defined() && right.defined()) {
                todo.push_back({left, right});
            }
            nodes_[node / 2].sum = left.defined() ? left : right;
        }
    }
}

void GradientSum::add(std::int64_t shard, at::Tensor gradient) {
    std::size_t node = leaves_ + static_cast<std::size_t>(shard);
    std::size_t width = leaves_;
    std::vector<Addition> todo;
    todo.reserve(together);  // nothing below fails: a shard is added, or it is not
    while (true) {
        const std::size_t count = std::min(together, width / roots_);
        const std::size_t first = node - node % count;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            nodes_[node] = {true, std::move(gradient)};
            const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(first);
            const auto end = begin + static_cast<std::ptrdiff_t>(count);
            if (count == 1 || !std::all_of(begin, end, [](const Node& of) { return of.done; })) {
                return;
            }
            unite(first, count, todo);
            node = first / count;
            width /= count;
            gradient = std::move(nodes_[node].sum);
        }
        join(todo);
        todo.clear();
    }
}

// Slice by slice, so that what is added stays in the cache.
void GradientSum::join(const std::vector<Addition>& todo) {
    const std::int64_t slice = elements_at_a_time(like_);
    for (std::int64_t begin = 0; begin < like_.numel(); begin += slice) {
        const std::int64_t count = std::min(slice, like_.numel() - begin);
        for (const Addition& addition : todo) {
            add_and_clear(addition.into, addition.from, begin, count);
        }
    }
    for (const Addition& addition : todo) {
        give_back(addition.from);
    }
}

GradientSum::Rest GradientSum::rest() {
    Rest rest;
    unite(roots_, roots_, rest.additions);
    rest.total = nodes_[1].sum.defined() ? nodes_[1].sum : take();
    nodes_.assign(2 * leaves_, Node{});
    return rest;
}

}  // namespace softalign

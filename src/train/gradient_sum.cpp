#include "train/gradient_sum.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "ops/updates.h"

namespace softalign {

namespace {

std::size_t power_of_two_from(std::size_t count) {
    std::size_t power = 1;
    while (power < count) {
        power *= 2;
    }
    return power;
}

}  // namespace

GradientSum::GradientSum(at::Tensor like, std::int64_t shards, int workers)
    : like_(std::move(like)),
      shards_(shards),
      leaves_(power_of_two_from(static_cast<std::size_t>(shards))),
      roots_(std::min(leaves_, power_of_two_from(static_cast<std::size_t>(workers)))) {}

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

void GradientSum::add(std::int64_t shard, at::Tensor gradient) {
    std::size_t node = leaves_ + static_cast<std::size_t>(shard);
    while (true) {
        at::Tensor neighbour;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            const bool is_root = node < 2 * roots_;
            if (is_root || !nodes_[node ^ 1U].done) {
                nodes_[node] = {true, std::move(gradient)};
                return;
            }
            neighbour = std::move(nodes_[node ^ 1U].sum);
        }
        gradient = joined(std::move(gradient), std::move(neighbour));
        node /= 2;
    }
}

// a + b is b + a, bit for bit.
at::Tensor GradientSum::joined(at::Tensor a, at::Tensor b) {
    if (!a.defined() || !b.defined()) {
        return a.defined() ? a : b;
    }
    add_and_clear(a, b);
    give_back(std::move(b));
    return a;
}

GradientSum::Rest GradientSum::rest() {
    Rest rest;
    for (std::size_t node = roots_ - 1; node >= 1; --node) {
        const at::Tensor& left = nodes_[2 * node].sum;
        const at::Tensor& right = nodes_[2 * node + 1].sum;
        if (left.defined() && right.defined()) {
            rest.additions.push_back({left, right});
        }
        nodes_[node].sum = left.defined() ? left : right;
    }
    rest.total = nodes_[1].sum.defined() ? nodes_[1].sum : take();
    nodes_.assign(2 * leaves_, Node{});
    return rest;
}

}  // namespace softalign

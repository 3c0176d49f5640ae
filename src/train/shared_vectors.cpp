#include "train/shared_vectors.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ops/updates.h"
#include "platform/memory.h"

namespace softalign {

SharedVectors::SharedVectors(Group& group, WorkerPool& pool, std::int64_t elements, std::int64_t slice)
    : group_(group), pool_(pool), elements_(elements), slice_(slice) {
    levels_.push_back({0, (elements + slice - 1) / slice});
    for (int distance = 1; distance < group.size(); distance *= 2) {
        levels_.push_back(half(levels_.back(), (group.rank() & distance) != 0));
    }
}

SharedVectors::Range SharedVectors::half(const Range& whole, bool upper) {
    const std::int64_t middle = whole.begin + (whole.end - whole.begin) / 2;
    return upper ? Range{middle, whole.end} : Range{whole.begin, middle};
}

// What a process owns.
SharedVectors::Range SharedVectors::range_of(int rank) const {
    Range range = levels_.front();
    for (int distance = 1; distance < group_.size(); distance *= 2) {
        range = half(range, (rank & distance) != 0);
    }
    return range;
}

at::Tensor SharedVectors::part(const at::Tensor& values, const Range& range) const {
    const std::int64_t begin = std::min(range.begin * slice_, elements_);
    return values.narrow(0, begin, std::min(range.end * slice_, elements_) - begin);
}

// What the partner of this level keeps of what both have before it.
SharedVectors::Range SharedVectors::other_half(std::size_t level) const {
    const Range& whole = levels_[level];
    const Range& kept = levels_[level + 1];
    return kept.begin == whole.begin && kept.end != whole.end   ? Range{kept.end, whole.end}
           : kept.end == whole.end && kept.begin != whole.begin ? Range{whole.begin, kept.begin}
                                                                : Range{whole.begin, whole.begin};
}

void SharedVectors::add_up(const at::Tensor& values, const std::vector<bool>& has) {
    if (!received_.defined()) {
        received_ = at::empty({(levels_.front().end + 1) / 2 * slice_}, values.options());
    }
    std::vector<bool> present = has;  // of each subtree of this level
    for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
        const auto subtree = static_cast<std::size_t>(group_.rank()) >> level;
        const int partner = group_.rank() ^ (1 << level);
        const bool sends = present[subtree];
        const bool receives = present[subtree ^ 1U];
        const at::Tensor kept = part(values, levels_[level + 1]);
        const at::Tensor incoming = received_.narrow(0, 0, kept.numel());
        const at::Tensor sent = part(values, other_half(level));
        group_.exchange(partner, sends && sent.numel() > 0 ? sent : at::Tensor(), partner,
                        receives && kept.numel() > 0 ? incoming : at::Tensor());
        const std::int64_t slices = (kept.numel() + slice_ - 1) / slice_;
        pool_.run(receives ? slices : 0, [&](std::int64_t index, int) {
            const at::NoGradGuard no_grad;
            const std::int64_t begin = index * slice_;
            const std::int64_t count = std::min(slice_, kept.numel() - begin);
            if (sends) {
                add_and_clear(kept, incoming, begin, count);
            } else {
                kept.narrow(0, begin, count).copy_(incoming.narrow(0, begin, count));
            }
        });
        for (std::size_t i = 0; 2 * i + 1 < present.size(); ++i) {
            present[i] = present[2 * i] || present[2 * i + 1];
        }
        present.resize(present.size() / 2);
    }
}

void SharedVectors::share(const at::Tensor& values) {
    for (std::size_t level = levels_.size() - 1; level-- > 0;) {
        const int partner = group_.rank() ^ (1 << level);
        const at::Tensor own = part(values, levels_[level + 1]);
        const at::Tensor other = part(values, other_half(level));
        group_.exchange(partner, own.numel() > 0 ? own : at::Tensor(), partner,
                        other.numel() > 0 ? other : at::Tensor());
    }
}

// Between rank 0 and each other, what that one owns.
void SharedVectors::gather_to_first(const at::Tensor& values) {
    move_owned(values, false);
}

void SharedVectors::scatter_from_first(const at::Tensor& values) {
    move_owned(values, true);
}

void SharedVectors::move_owned(const at::Tensor& values, bool from_first) {
    const bool first = group_.rank() == 0;
    for (int rank = first ? 1 : group_.rank(); rank < (first ? group_.size() : group_.rank() + 1); ++rank) {
        const at::Tensor owned = part(values, range_of(rank));
        const int partner = first ? rank : 0;
        const bool sends = first == from_first;
        if (owned.numel() > 0) {
            group_.exchange(partner, sends ? owned : at::Tensor(), partner, sends ? at::Tensor() : owned);
        }
    }
}

void SharedVectors::release_others(const at::Tensor& values) const {
    release_elements(values, 0, std::min(first_slice() * slice_, elements_));
    release_elements(values, std::min(end_slice() * slice_, elements_), elements_);
}

void SharedVectors::gather_slices(std::vector<double>& numbers) const {
    if (group_.is_alone()) {
        return;
    }
    const auto count = static_cast<std::size_t>(end_slice() - first_slice());
    const std::int64_t first = first_slice();
    std::string own(sizeof first + count * sizeof(double), '\0');
    std::memcpy(own.data(), &first, sizeof first);
    std::memcpy(own.data() + sizeof first, numbers.data() + first, count * sizeof(double));
    for (const std::string& text : group_.gather(own)) {
        std::int64_t begin = 0;
        std::memcpy(&begin, text.data(), sizeof begin);
        std::memcpy(numbers.data() + begin, text.data() + sizeof begin, text.size() - sizeof begin);
    }
}

}  // namespace softalign

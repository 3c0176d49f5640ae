#include "ops/packed_rows.h"
#include "ops/to_device.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace softalign {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Rows of x [N,D] at `places`, which are all different: [P,D].
at::Tensor rows_at(const at::Tensor& x, const at::Tensor& places) {
    return x.index_select(0, places);
}

// A [count,D] of zeros with the rows of x [P,D] at `places`, which are all different.
at::Tensor rows_to(const at::Tensor& x, const at::Tensor& places, std::int64_t count) {
    at::Tensor result = at::zeros({count, x.size(1)}, x.options());
    if (!x.device().is_cpu()) {
        return result.index_copy_(0, places, x);
    }
    // LibTorch's index_copy_ goes through a tensor for every row.
    const at::Tensor from = x.contiguous();
    const std::int64_t* place = places.data_ptr<std::int64_t>();
    const auto bytes = static_cast<std::size_t>(x.size(1)) * x.element_size();
    const auto* source = static_cast<const char*>(from.data_ptr());
    auto* target = static_cast<char*>(result.data_ptr());
    for (std::int64_t i = 0; i < from.size(0); ++i) {
        std::copy_n(source + static_cast<std::size_t>(i) * bytes, bytes,
                    target + static_cast<std::size_t>(place[i]) * bytes);
    }
    return result;
}

// Taking and putting are each other's gradients.
class Put : public torch::autograd::Function<Put> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& places,
                              std::int64_t count) {
        context->save_for_backward({places});
        return rows_to(x, places, count);
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        return {rows_at(gradients[0], context->get_saved_variables()[0]), at::Tensor(), at::Tensor()};
    }
};

class Take : public torch::autograd::Function<Take> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& places) {
        context->save_for_backward({places});
        context->saved_data["count"] = x.size(0);
        return rows_at(x, places);
    }

    static variable_list backward(AutogradContext* context, variable_list gradients) {
        return {rows_to(gradients[0], context->get_saved_variables()[0], context->saved_data["count"].toInt()),
                at::Tensor()};
    }
};

template <typename Rows>
at::Tensor to_rectangle(const at::Tensor& x, const Rows& rows) {
    return Put::apply(x, rows.places, rows.sentences() * rows.width).view({rows.sentences(), rows.width, x.size(1)});
}

at::Tensor from_rectangle(const at::Tensor& x, const at::Tensor& places) {
    const at::Tensor flat = x.flatten(0, 1);
    return flat.dim() == 1 ? flat.index_select(0, places) : Take::apply(flat, places);
}

// Where each token of `sentences` is in `steps`: [P].
at::Tensor steps_of(const PackedRows& steps, const SentenceRows& sentences) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(steps.total));
    for (std::size_t row = 0; row < steps.order.size(); ++row) {
        const std::int64_t begin = sentences.begins[static_cast<std::size_t>(steps.order[row])];
        for (std::int64_t t = 0; t < steps.lengths[row]; ++t) {
            places[static_cast<std::size_t>(begin + t)] =
                steps.offsets[static_cast<std::size_t>(t)] + static_cast<std::int64_t>(row);
        }
    }
    return to_device(places, steps.places.device());
}

}  // namespace

at::Tensor PackedRows::rows_of_sentences() const {
    std::vector<std::int64_t> rows(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        rows[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    }
    return to_device(rows, places.device());
}

PackedRows pack_rows(const std::vector<std::int64_t>& lengths, std::int64_t width, const at::Device& device,
                     Reading reading) {
    const auto length = [&](std::int64_t sentence) { return lengths[static_cast<std::size_t>(sentence)]; };
    PackedRows rows;
    rows.width = width;
    rows.order.resize(lengths.size());
    std::iota(rows.order.begin(), rows.order.end(), std::int64_t{0});
    std::stable_sort(rows.order.begin(), rows.order.end(),
                     [&](std::int64_t a, std::int64_t b) { return length(a) > length(b); });
    for (const std::int64_t sentence : rows.order) {
        rows.lengths.push_back(length(sentence));
    }
    const std::int64_t steps = rows.lengths.empty() ? 0 : rows.lengths.front();
    std::int64_t live = rows.sentences();
    std::vector<std::int64_t> places;
    for (std::int64_t t = 0; t < steps; ++t) {
        while (rows.lengths[static_cast<std::size_t>(live - 1)] <= t) {
            --live;
        }
        rows.counts.push_back(live);
        rows.offsets.push_back(rows.total);
        rows.total += live;
        for (std::int64_t i = 0; i < live; ++i) {
            const auto row = static_cast<std::size_t>(i);
            const std::int64_t words = rows.lengths[row] - 1;
            const std::int64_t place = reading == Reading::backwards && t < words ? words - 1 - t : t;
            places.push_back(rows.order[row] * rows.width + place);
        }
    }
    rows.places = to_device(places, device);
    return rows;
}

SentenceRows sentence_rows(const std::vector<std::int64_t>& lengths, std::int64_t width, const at::Device& device) {
    SentenceRows rows;
    rows.lengths = lengths;
    rows.width = width;
    std::vector<std::int64_t> places;
    std::vector<std::int64_t> positions;
    for (std::size_t b = 0; b < lengths.size(); ++b) {
        rows.begins.push_back(rows.total);
        rows.total += lengths[b];
        for (std::int64_t position = 0; position < lengths[b]; ++position) {
            places.push_back(static_cast<std::int64_t>(b) * width + position);
            positions.push_back(position);
        }
    }
    rows.places = to_device(places, device);
    rows.positions = to_device(positions, device);
    return rows;
}

at::Tensor unpack(const at::Tensor& x, const PackedRows& rows) {
    return to_rectangle(x, rows);
}

at::Tensor unpack(const at::Tensor& x, const SentenceRows& rows) {
    return to_rectangle(x, rows);
}

at::Tensor pack(const at::Tensor& x, const PackedRows& rows) {
    return from_rectangle(x, rows.places);
}

at::Tensor pack(const at::Tensor& x, const SentenceRows& rows) {
    return from_rectangle(x, rows.places);
}

at::Tensor by_sentences(const at::Tensor& x, const PackedRows& from, const SentenceRows& to) {
    return Take::apply(x, steps_of(from, to));
}

at::Tensor by_steps(const at::Tensor& x, const SentenceRows& from, const PackedRows& to) {
    return Put::apply(x, steps_of(to, from), to.total);
}

at::Tensor reversed_order(const std::vector<std::int64_t>& lengths, std::int64_t width, const at::Device& device) {
    const at::Tensor places = at::arange(width, at::kLong).unsqueeze(0);
    const at::Tensor words = length_column(lengths, at::kLong) - 1;
    return to_device(at::where(places.lt(words), words - 1 - places, places.expand({words.size(0), width})), device);
}

at::Tensor token_mask(const std::vector<std::int64_t>& lengths, std::int64_t width, const at::Device& device) {
    return to_device(at::arange(width, at::kLong).unsqueeze(0).lt(length_column(lengths, at::kLong)), device);
}

at::Tensor length_column(const std::vector<std::int64_t>& lengths, const at::TensorOptions& options) {
    return at::tensor(lengths, at::kLong).unsqueeze(1).to(options, /*non_blocking=*/true);
}

std::vector<std::int64_t> select_rows(const std::vector<std::int64_t>& lengths, const at::Tensor& rows) {
    std::vector<std::int64_t> result(static_cast<std::size_t>(rows.size(0)));
    const std::int64_t* row = rows.data_ptr<std::int64_t>();
    for (std::int64_t& length : result) {
        length = lengths[static_cast<std::size_t>(*row++)];
    }
    return result;
}

}  // namespace softalign

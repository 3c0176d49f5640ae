#include "ops/top_k.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace softalign {

namespace {

constexpr std::int64_t scan_block = 64;

void resize(TopK& out, std::int64_t rows, std::int64_t k) {
    out.rows = rows;
    out.k = k;
    out.values.resize(static_cast<std::size_t>(rows * k));
    out.tokens.resize(static_cast<std::size_t>(rows * k));
    out.eos.resize(static_cast<std::size_t>(rows));
}

// The order of a row: NaN, then high values, then low ones. False for equal values.
bool above(float a, float b) {
    return a > b || (std::isnan(a) && !std::isnan(b));
}

// Whether any value of a block may be above `threshold`. Branch-free, so that it compiles to vector code; NaN on
// either side says yes.
bool any_above(const float* values, float threshold) {
    int found = 0;
    for (std::int64_t i = 0; i < scan_block; ++i) {
        found |= static_cast<int>(!(values[i] <= threshold));
    }
    return found != 0;
}

class RowScan {
public:
    RowScan(float* values, std::int32_t* tokens, std::int64_t k) : values_(values), tokens_(tokens), k_(k) {}

    // Tokens come in rising order and enter only above what they push out, so ties keep the smaller id in front.
    void add(float value, std::int64_t token) {
        if (size_ == k_ && !above(value, values_[k_ - 1])) {
            return;
        }
        std::int64_t place = size_ < k_ ? size_++ : k_ - 1;
        for (; place > 0 && above(value, values_[place - 1]); --place) {
            values_[place] = values_[place - 1];
            tokens_[place] = tokens_[place - 1];
        }
        values_[place] = value;
        tokens_[place] = static_cast<std::int32_t>(token);
    }

    void run(const float* row, std::int64_t width) {
        std::int64_t token = 0;
        for (; token < k_; ++token) {
            add(row[token], token);
        }
        for (; token + scan_block <= width; token += scan_block) {
            if (any_above(row + token, values_[k_ - 1])) {
                add_range(row, token, token + scan_block);
            }
        }
        add_range(row, token, width);
    }

private:
    void add_range(const float* row, std::int64_t begin, std::int64_t end) {
        for (std::int64_t token = begin; token < end; ++token) {
            add(row[token], token);
        }
    }

    float* values_;
    std::int32_t* tokens_;
    std::int64_t k_;
    std::int64_t size_ = 0;
};

void sort_ties(float* values, std::int32_t* tokens, std::int64_t k) {
    for (std::int64_t begin = 0; begin < k;) {
        std::int64_t end = begin + 1;
        while (end < k && values[end] == values[begin]) {
            ++end;
        }
        std::sort(tokens + begin, tokens + end);
        begin = end;
    }
}

}  // namespace

bool fits_top_k(const at::Tensor& log_probs, std::int64_t rows, std::int64_t eos) {
    return log_probs.dim() == 2 && log_probs.size(0) == rows && log_probs.scalar_type() == at::kFloat && eos >= 0 &&
           eos < log_probs.size(1);
}

void top_k_by_scan(const at::Tensor& log_probs, std::int64_t k, std::int64_t eos, TopK& out) {
    const at::Tensor values = log_probs.contiguous();
    const std::int64_t width = values.size(1);
    k = std::min(k, width);
    resize(out, values.size(0), k);
    const float* row = values.data_ptr<float>();
    for (std::int64_t n = 0; n < out.rows; ++n, row += width) {
        RowScan(out.values.data() + n * k, out.tokens.data() + n * k, k).run(row, width);
        out.eos[static_cast<std::size_t>(n)] = row[eos];
    }
}

void top_k_by_operator(const at::Tensor& log_probs, std::int64_t k, std::int64_t eos, TopK& out) {
    k = std::min(k, log_probs.size(1));
    resize(out, log_probs.size(0), k);
    const auto [values, tokens] = at::topk(log_probs, k, 1, /*largest=*/true, /*sorted=*/true);
    // Token ids are exact in double precision, and one transfer is one wait for the device.
    const at::Tensor packed =
        at::cat({values.to(at::kDouble), tokens.to(at::kDouble), log_probs.select(1, eos).unsqueeze(1).to(at::kDouble)},
                1)
            .to(at::kCPU)
            .contiguous();
    const double* row = packed.data_ptr<double>();
    for (std::int64_t n = 0; n < out.rows; ++n, row += 2 * k + 1) {
        float* row_values = out.values.data() + n * k;
        std::int32_t* row_tokens = out.tokens.data() + n * k;
        for (std::int64_t i = 0; i < k; ++i) {
            row_values[i] = static_cast<float>(row[i]);
            row_tokens[i] = static_cast<std::int32_t>(row[k + i]);
        }
        out.eos[static_cast<std::size_t>(n)] = static_cast<float>(row[2 * k]);
        sort_ties(row_values, row_tokens, k);
    }
}

void top_k(const at::Tensor& log_probs, std::int64_t k, std::int64_t eos, TopK& out) {
    if (log_probs.device().is_cpu()) {
        top_k_by_scan(log_probs, k, eos, out);
    } else {
        top_k_by_operator(log_probs, k, eos, out);
    }
}

}  // namespace softalign

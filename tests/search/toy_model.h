#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "search/search.h"

namespace softalign {

// A scripted language: every prefix of every sentence has a random distribution of its own, a function of the
// sentence's key and the tokens alone.
struct ToyLanguage {
    std::int64_t vocabulary = 5;
    double sharpness = 2.0;  // logits are uniform in [0, sharpness)
    std::int64_t source_width = 3;

    std::vector<float> log_probs(std::uint64_t key, const std::vector<std::int32_t>& prefix) const {
        Random random(prefix_key(key, prefix));
        std::vector<double> logits(static_cast<std::size_t>(vocabulary));
        double sum = 0.0;
        for (double& logit : logits) {
            logit = sharpness * random.uniform();
            sum += std::exp(logit);
        }
        std::vector<float> result;
        result.reserve(logits.size());
        for (const double logit : logits) {
            result.push_back(static_cast<float>(logit - std::log(sum)));
        }
        return result;
    }

    std::vector<float> attention(std::uint64_t key, const std::vector<std::int32_t>& prefix) const {
        Random random(prefix_key(~key, prefix));
        std::vector<float> result;
        for (std::int64_t i = 0; i < source_width; ++i) {
            result.push_back(static_cast<float>(random.uniform()));
        }
        return result;
    }

private:
    static std::uint64_t prefix_key(std::uint64_t key, const std::vector<std::int32_t>& prefix) {
        for (const std::int32_t token : prefix) {
            key = mix_key({key, static_cast<std::uint64_t>(token)});
        }
        return mix_key({key, prefix.size()});
    }
};

// A batch of toy sentences. Checks that search keeps to the contract of StepModel.
class ToyModel : public StepModel {
public:
    ToyModel(const ToyLanguage& language, const std::vector<std::uint64_t>& keys, std::int64_t bos)
        : language_(language), bos_(bos) {
        for (std::size_t i = 0; i < keys.size(); ++i) {
            rows_.push_back({i, keys[i], {}});
        }
    }

    StepOutput step(const at::Tensor& previous) override {
        EXPECT_EQ(previous.dim(), 1);
        EXPECT_EQ(previous.scalar_type(), at::kLong);
        EXPECT_EQ(previous.size(0), static_cast<std::int64_t>(rows_.size()));
        const auto rows = static_cast<std::int64_t>(rows_.size());
        at::Tensor log_probs = at::empty({rows, language_.vocabulary}, at::kFloat);
        at::Tensor attention = at::empty({rows, language_.source_width}, at::kFloat);
        for (std::int64_t r = 0; r < rows; ++r) {
            Row& row = rows_[static_cast<std::size_t>(r)];
            const auto token = previous[r].item<std::int64_t>();
            if (steps_ == 0) {
                EXPECT_EQ(token, bos_);
            } else {
                row.prefix.push_back(static_cast<std::int32_t>(token));
            }
            const std::vector<float> values = distribution(row.key, row.prefix);
            const std::vector<float> weights = language_.attention(row.key, row.prefix);
            std::copy(values.begin(), values.end(), log_probs.data_ptr<float>() + r * language_.vocabulary);
            std::copy(weights.begin(), weights.end(), attention.data_ptr<float>() + r * language_.source_width);
        }
        ++steps_;
        row_steps_ += rows;
        return {log_probs, attention, {}};
    }

    void select(const at::Tensor& rows) override {
        ASSERT_EQ(rows.dim(), 1);
        ASSERT_GE(rows.size(0), 1);
        std::vector<Row> selected;
        for (std::int64_t r = 0; r < rows.size(0); ++r) {
            selected.push_back(rows_.at(static_cast<std::size_t>(rows[r].item<std::int64_t>())));
            if (r > 0) {
                EXPECT_GE(selected[selected.size() - 1].sentence, selected[selected.size() - 2].sentence);
            }
        }
        rows_ = selected;
    }

    std::int64_t steps() const { return steps_; }
    std::int64_t row_steps() const { return row_steps_; }

protected:
    virtual std::vector<float> distribution(std::uint64_t key, const std::vector<std::int32_t>& prefix) const {
        return language_.log_probs(key, prefix);
    }

private:
    struct Row {
        std::size_t sentence;
        std::uint64_t key;
        std::vector<std::int32_t> prefix;
    };

    ToyLanguage language_;
    std::int64_t bos_;
    std::vector<Row> rows_;
    std::int64_t steps_ = 0;
    std::int64_t row_steps_ = 0;
};

}  // namespace softalign

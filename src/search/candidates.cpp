#include "search/candidates.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/step_model.h"

namespace softalign {

namespace {

// Every token of any sentence once, rising.
std::vector<std::int64_t> united(const std::vector<std::vector<std::int32_t>>& of_sentences) {
    std::vector<std::int64_t> ids;
    for (const std::vector<std::int32_t>& tokens : of_sentences) {
        ids.insert(ids.end(), tokens.begin(), tokens.end());
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

}  // namespace

Candidates make_candidates(const std::vector<std::vector<std::int32_t>>& of_sentences, const at::Device& device) {
    const std::vector<std::int64_t> ids = united(of_sentences);
    const auto width = static_cast<std::int64_t>(ids.size());
    const at::Tensor mask = at::zeros({static_cast<std::int64_t>(of_sentences.size()), width}, at::kBool);
    bool* row = mask.data_ptr<bool>();
    for (const std::vector<std::int32_t>& tokens : of_sentences) {
        for (const std::int32_t token : tokens) {
            row[std::lower_bound(ids.begin(), ids.end(), token) - ids.begin()] = true;
        }
        row += width;
    }
    return {at::tensor(ids, at::kLong).to(device), mask.to(device)};
}

at::Tensor candidate_log_probs(const at::Tensor& logits, const at::Tensor& ids, const at::Tensor& mask,
                               std::int64_t vocabulary) {
    const at::Tensor log_probs = at::log_softmax(logits.masked_fill(mask.logical_not(), never), 1, at::kFloat);
    return at::full({logits.size(0), vocabulary}, never, log_probs.options()).index_copy_(1, ids, log_probs);
}

}  // namespace softalign

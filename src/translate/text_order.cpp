#include "translate/text_order.h"

#include <algorithm>
#include <vector>

namespace softalign {

namespace {

// Of a row for each token and one for the end of sentence.
template <typename Row>
void reverse_but_last(std::vector<Row>& rows) {
    if (!rows.empty()) {
        std::reverse(rows.begin(), rows.end() - 1);
    }
}

}  // namespace

void to_text_order(Hypothesis& hypothesis) {
    std::reverse(hypothesis.ids.begin(), hypothesis.ids.end());
    reverse_but_last(hypothesis.token_log_probs);
    reverse_but_last(hypothesis.attention);
    for (std::vector<float>& log_probs : hypothesis.model_token_log_probs) {
        reverse_but_last(log_probs);
    }
}

}  // namespace softalign

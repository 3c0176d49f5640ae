#include "report/sentences.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/random.h"

namespace softalign {

namespace {

class Chooser {
public:
    Chooser(std::size_t sentences, std::size_t count) : taken_(sentences, false), count_(count) {}

    // The first of `order` that are not taken yet.
    template <typename Number>
    std::vector<std::size_t> take(const std::vector<Number>& order) {
        std::vector<std::size_t> chosen;
        for (const Number number : order) {
            const auto i = static_cast<std::size_t>(number);
            if (chosen.size() < count_ && !taken_[i]) {
                taken_[i] = true;
                chosen.push_back(i);
            }
        }
        return chosen;
    }

private:
    std::vector<bool> taken_;
    std::size_t count_;
};

// The sentences by `value`, the greatest first; of equal ones the longest, then the first.
std::vector<std::size_t> ordered(const std::vector<double>& value, const std::vector<std::int64_t>& lengths) {
    std::vector<std::size_t> order(value.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return value[a] != value[b] ? value[a] > value[b] : lengths[a] > lengths[b];
    });
    return order;
}

}  // namespace

ChosenSentences choose_sentences(const std::vector<std::vector<double>>& scores,
                                 const std::vector<std::int64_t>& lengths, std::size_t count, std::uint64_t seed) {
    const std::size_t sentences = lengths.size();
    std::vector<double> sum(sentences, 0.0);
    std::vector<double> loss(sentences, 0.0);
    std::vector<double> spread(sentences, 0.0);
    for (std::size_t i = 0; i < sentences; ++i) {
        double least = scores.front()[i];
        double most = least;
        for (const std::vector<double>& run : scores) {
            sum[i] += run[i];
            least = std::min(least, run[i]);
            most = std::max(most, run[i]);
        }
        loss[i] = -sum[i];
        spread[i] = most - least;
    }
    Chooser chooser(sentences, count);
    ChosenSentences chosen;
    if (scores.size() > 1) {
        chosen.differ = chooser.take(ordered(spread, lengths));
    }
    chosen.worst = chooser.take(ordered(loss, lengths));
    chosen.best = chooser.take(ordered(sum, lengths));
    chosen.random = chooser.take(permutation(static_cast<std::uint32_t>(sentences), seed));
    std::sort(chosen.random.begin(), chosen.random.end());
    return chosen;
}

}  // namespace softalign

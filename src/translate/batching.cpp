#include "translate/batching.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/helpers.h"
#include "platform/memory.h"
#include "translate/packets.h"

namespace softalign {

BatchLimits limits_of(std::int64_t sentences) {
    constexpr std::int64_t positions_a_sentence = 64;
    return {sentences, sentences * positions_a_sentence};
}

std::vector<std::vector<std::size_t>> batches_by_length(const std::vector<std::int64_t>& lengths,
                                                        const BatchLimits& limits) {
    std::vector<std::size_t> order(lengths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
    std::vector<std::vector<std::size_t>> batches;
    for (const std::size_t index : order) {
        const bool full = batches.empty() || [&] {
            const std::vector<std::size_t>& last = batches.back();
            const auto sentences = static_cast<std::int64_t>(last.size()) + 1;
            return sentences > limits.sentences || sentences * lengths[last.front()] > limits.positions;
        }();
        if (full) {
            batches.emplace_back();
        }
        batches.back().push_back(index);
    }
    return batches;
}

namespace {

using Batches = std::vector<std::vector<std::size_t>>;

// Which of the batches nobody has taken yet.
class Claims {
public:
    explicit Claims(std::size_t count) : taken_(count, false) {}

    bool take(std::size_t number) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const bool was_free = !taken_[number];
        taken_[number] = true;
        return was_free;
    }

    std::optional<std::size_t> take_first() {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto free = std::find(taken_.begin(), taken_.end(), false);
        if (free == taken_.end()) {
            return std::nullopt;
        }
        *free = true;
        return static_cast<std::size_t>(free - taken_.begin());
    }

private:
    std::mutex mutex_;
    std::vector<bool> taken_;
};

std::optional<Helpers::Job> next_job(Claims& claims, const Batches& batches, const BatchHelp& help, int workers) {
    std::vector<std::size_t> mine;
    while (static_cast<int>(mine.size()) < workers) {
        const std::optional<std::size_t> number = claims.take_first();
        if (!number) {
            break;
        }
        mine.push_back(*number);
    }
    if (mine.empty()) {
        return std::nullopt;
    }
    PacketWriter request;
    request.number(mine.size());
    for (const std::size_t number : mine) {
        request.text(help.pack(batches[number]));
    }
    return Helpers::Job{request.bytes(), [&batches, &help, mine](const std::string& answer) {
                            PacketReader reader(answer);
                            for (const std::size_t number : mine) {
                                help.unpack(batches[number], reader.text());
                            }
                        }};
}

// Helpers that work as long as this lives.
class HelpersAtWork {
public:
    HelpersAtWork(Helpers* helpers, Helpers::Next next) : helpers_(helpers) {
        if (helpers_ != nullptr) {
            helpers_->start(std::move(next));
        }
    }
    ~HelpersAtWork() {
        try {
            finish();
        } catch (const std::exception&) {  // another one is on its way
        }
    }
    HelpersAtWork(const HelpersAtWork&) = delete;
    HelpersAtWork& operator=(const HelpersAtWork&) = delete;

    void finish() {
        if (Helpers* const helpers = std::exchange(helpers_, nullptr)) {
            helpers->finish();
        }
    }

private:
    Helpers* helpers_;
};

}  // namespace

std::int64_t run_batches(WorkerPool& pool, const Batches& batches,
                         const std::function<void(const std::vector<std::size_t>& batch)>& compute,
                         const BatchHelp& help) {
    Claims claims(batches.size());
    // What the workers here compute at once is not worth sending.
    const bool alone = batches.size() <= static_cast<std::size_t>(pool.size());
    HelpersAtWork helpers(alone ? nullptr : help.helpers,
                          [&](int workers) { return next_job(claims, batches, help, workers); });
    const auto sentences = [&](std::int64_t number) {
        return static_cast<std::int64_t>(batches[static_cast<std::size_t>(number)].size());
    };
    const auto in_parts = [&](std::int64_t number, int, Attempt attempt) {
        const std::vector<std::size_t>& batch = batches[static_cast<std::size_t>(number)];
        if (!attempt.alone && !claims.take(static_cast<std::size_t>(number))) {
            return;
        }
        const auto parts = static_cast<std::size_t>(std::min(attempt.parts, sentences(number)));
        for (std::size_t part = 0; part < parts; ++part) {
            const auto begin = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() * part / parts);
            const auto end = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() * (part + 1) / parts);
            compute({begin, end});
        }
    };
    const std::int64_t again =
        run_as_memory_allows(pool, static_cast<std::int64_t>(batches.size()), sentences, in_parts).tasks;
    helpers.finish();
    return again;
}

std::string answer_batches(
    const std::string& request,
    const std::function<std::vector<std::string>(const std::vector<std::string>& batches)>& compute) {
    PacketReader reader(request);
    std::vector<std::string> batches(reader.number<std::size_t>());
    std::generate(batches.begin(), batches.end(), [&reader] { return reader.text(); });
    PacketWriter answer;
    for (const std::string& packed : compute(batches)) {
        answer.text(packed);
    }
    return answer.bytes();
}

}  // namespace softalign

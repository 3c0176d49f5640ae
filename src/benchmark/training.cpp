#include "benchmark/training.h"

#include <spdlog/spdlog.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/counted.h"
#include "base/stopwatch.h"
#include "benchmark/products.h"
#include "data/batch_stream.h"
#include "platform/processor.h"
#include "train/first_weights.h"
#include "train/learner.h"

namespace softalign {

namespace {

double share_of(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

BatchStream first_batches(const Config& config, const RunData& data) {
    return {*data.train, plan_options(config),   data.special, config.vocabulary.sampling_alpha > 0.0, 0,
            0,           config.runtime.prefetch};
}

void add_batch(const Config& config, const RunData& data, const Seq2Seq& model, const Batch& batch,
               TrainingWork& work) {
    work.sentences += batch.sentences;
    work.source_tokens += batch.source_tokens();
    work.target_tokens += batch.target_tokens();
    const int passes = config.training.r_drop > 0.0 ? 2 : 1;
    for (const Batch& shard : cut_batch(batch, config.training.shards, data.special)) {
        work.source_cells += shard.sentences * shard.source_width;
        work.target_cells += shard.sentences * shard.target_width;
        for (int pass = 0; pass < passes; ++pass) {
            add_work(work.rectangles, model.work(shape_of(shard)));
            for (const BatchShape& sentence : sentences_of(shard)) {
                add_work(work.sentences_alone, model.work(sentence));
            }
        }
    }
}

// What every measurement does, by going through its batches once.
TrainingWork count_work(const Config& config, const RunData& data, const Seq2Seq& model, const TrainingPlan& plan) {
    TrainingWork work;
    BatchStream batches = first_batches(config, data);
    for (std::int64_t update = 0; update < plan.warmup + plan.updates; ++update) {
        for (const BatchStream::Item& item : take_batches(config.training.accumulate, [&] { return batches.next(); })) {
            if (update >= plan.warmup) {
                add_batch(config, data, model, item.batch, work);
            }
        }
    }
    return work;
}

// What all measurements change.
struct Trained {
    TrainingVectors vectors;
    std::int64_t update = 0;
    std::int64_t bad_updates = 0;
};

struct Timed {
    double seconds = 0.0;
    double waiting = 0.0;
    StepSeconds step;
};

class TrainingRounds {
public:
    TrainingRounds(const Config& config, const RunData& data, Trained& trained, int workers)
        : trained_(trained),
          pool_(workers),
          learner_(config, data, trained.vectors, pool_),
          batches_(first_batches(config, data)),
          accumulate_(config.training.accumulate) {}

    Timed run(const TrainingPlan& plan) {
        for (std::int64_t i = 0; i < plan.warmup; ++i) {
            update();
        }
        const StepSeconds before = learner_.step().seconds();
        Timed timed;
        waiting_ = 0.0;
        const Stopwatch watch;
        for (std::int64_t i = 0; i < plan.updates; ++i) {
            update();
        }
        timed.seconds = watch.seconds();
        timed.waiting = waiting_;
        timed.step = learner_.step().seconds().since(before);
        return timed;
    }

private:
    BatchStream::Item wait_for_batch() {
        const Stopwatch watch;
        BatchStream::Item item = batches_.next();
        waiting_ += watch.seconds();
        return item;
    }

    void update() {
        ++trained_.update;
        const auto taken = take_batches(accumulate_, [this] { return wait_for_batch(); });
        const UpdateSums sums = learner_.update(taken, trained_.update, trained_.update);
        trained_.bad_updates += sums.applied ? 0 : 1;
    }

    Trained& trained_;
    WorkerPool pool_;
    Learner learner_;
    BatchStream batches_;
    std::int64_t accumulate_;
    double waiting_ = 0.0;
};

void add_times(Timed& sum, const Timed& timed) {
    sum.seconds += timed.seconds;
    sum.waiting += timed.waiting;
    sum.step.shards += timed.step.shards;
    sum.step.reduction += timed.step.reduction;
    sum.step.update += timed.step.update;
    sum.step.forward += timed.step.forward;
    sum.step.backward += timed.step.backward;
}

TrainingShares shares_of(const Timed& sum, int workers) {
    TrainingShares shares;
    shares.data = sum.waiting / sum.seconds;
    shares.shards = sum.step.shards / sum.seconds;
    shares.reduction = sum.step.reduction / sum.seconds;
    shares.update = sum.step.update / sum.seconds;
    shares.rest = 1.0 - shares.data - shares.shards - shares.reduction - shares.update;
    shares.forward = sum.step.forward / (sum.step.shards * workers);
    shares.backward = sum.step.backward / (sum.step.shards * workers);
    shares.idle = 1.0 - shares.forward - shares.backward;
    return shares;
}

}  // namespace

double TrainingWork::source_padding() const {
    return 1.0 - share_of(source_tokens, source_cells);
}

double TrainingWork::target_padding() const {
    return 1.0 - share_of(target_tokens, target_cells);
}

TrainingResults measure_training(const Config& config, const RunData& data, Seq2Seq& model, const TrainingPlan& plan,
                                 Peaks& peaks) {
    TrainingResults results;
    results.plan = plan;
    results.parameters = model.parameter_count();
    results.work = count_work(config, data, model, plan);
    Trained trained{TrainingVectors(config.training, model)};
    if (config.training.minimum_risk.samples > 0) {  // a model that has learnt nothing draws far longer translations
        take_given_weights(config, data.tokenizers, trained.vectors);
    }
    if (config.training.minimum_risk.samples > 0 || config.training.scheduled_sampling.decay != SamplingDecay::none) {
        spdlog::warn("the arithmetic of what is drawn from the model is not counted: GFLOP/s and shares are too low");
    }
    std::vector<Timed> sums(plan.workers.size());
    for (const int workers : plan.workers) {
        results.measurements.push_back({workers, {}, {}, {}, {}});
    }
    peaks.measure();
    for (std::int64_t round = 0; round < plan.rounds; ++round) {
        for (std::size_t i = 0; i < plan.workers.size(); ++i) {
            TrainingMeasurement& measured = results.measurements[i];
            const Timed timed = TrainingRounds(config, data, trained, measured.workers).run(plan);
            add_times(sums[i], timed);
            measured.seconds_per_update.add(timed.seconds / static_cast<double>(plan.updates));
            measured.tokens_per_second.add(static_cast<double>(results.work.target_tokens) / timed.seconds);
            measured.speed_up.add(results.measurements.front().seconds_per_update.values().back() /
                                  measured.seconds_per_update.values().back());
            spdlog::info("training, round {} of {}, {}: {:.0f} target tokens/s", round + 1, plan.rounds,
                         counted(measured.workers, "worker"), measured.tokens_per_second.values().back());
        }
        peaks.measure();
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        results.measurements[i].shares = shares_of(sums[i], plan.workers[i]);
    }
    results.bad_updates = trained.bad_updates;
    results.peak_memory = peak_memory();
    return results;
}

}  // namespace softalign

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/counted.h"
#include "base/temporary.h"
#include "platform/device.h"
#include "platform/processor.h"
#include "train/first_weights.h"
#include "train/learner.h"
#include "train/resolve.h"
#include "train/run_data.h"
#include "train/run_directory.h"
#include "train/trainer.h"

namespace softalign {

namespace {

// The batch whose rectangle is the largest: the one that needs the most memory.
BatchStream::Item costliest_batch(const RunData& data, const std::vector<std::vector<std::int64_t>>& plan) {
    const auto cost = [&](const std::vector<std::int64_t>& rows) {
        std::int64_t source = 0;
        std::int64_t target = 0;
        for (const std::int64_t row : rows) {
            source = std::max(source, data.train->source_length(row) + 1);
            target = std::max(target, data.train->target_length(row) + 1);
        }
        return static_cast<std::int64_t>(rows.size()) * target * (source + 1);
    };
    const auto largest =
        std::max_element(plan.begin(), plan.end(), [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
    std::vector<Example> examples;
    for (const std::int64_t row : *largest) {
        examples.push_back(data.train->example(row, 0));
    }
    return {make_batch(examples, data.special)};
}

std::string describe_parameters(const Seq2Seq& model) {
    std::string text;
    for (const auto& item : model.named_parameters()) {
        std::string shape;
        for (const std::int64_t size : item.value().sizes()) {
            shape += (shape.empty() ? "" : " x ") + std::to_string(size);
        }
        text += fmt::format("  {:<40} {:>16} {:>12}\n", item.key(), shape, item.value().numel());
    }
    return text + fmt::format("  {:<40} {:>16} {:>12}\n", "all parameters", "", model.parameter_count());
}

}  // namespace

std::string dry_run(const Config& given) {
    require_inputs(given);
    require_given_weights(given);
    Config config = resolve(given);
    config.data.cache.clear();  // nothing is written
    const TemporaryDirectory scratch("dry-run");
    const at::Device device = pick_device(config.runtime.device);
    WorkerPool pool(training_workers(config, device));
    const RunData data = load_run_data(config, make_vocabularies(config, scratch.path()), scratch.path(), &pool);
    Seq2Seq model(config.model, data.sizes());
    model.initialize(config.training.seed);
    model.to(device);

    std::string text = "model\n" + describe_parameters(model);
    text += data.depth > 0 ? fmt::format("source\n  {} values at each position\nvocabulary\n  target {} pieces\n",
                                         data.depth, data.sizes().target)
                           : fmt::format("vocabulary\n  source {} pieces, target {} pieces\n", data.sizes().source,
                                         data.sizes().target);
    const CorpusReport& report = data.train->report();
    const auto plan = plan_epoch(*data.train, plan_options(config), 0);
    const auto batches = static_cast<std::int64_t>(plan.size());
    const std::int64_t updates = (batches + config.training.accumulate - 1) / config.training.accumulate;
    text += fmt::format("data\n  {} sentence pairs of {}, {} source and {} target tokens\n", report.kept, report.lines,
                        report.source_tokens, report.target_tokens);
    text += fmt::format("  {} batches and {} updates per epoch, {:.0f} target tokens per update\n", batches, updates,
                        static_cast<double>(report.target_tokens) / static_cast<double>(updates));

    TrainingVectors vectors(config.training, model);
    take_given_weights(config, data.tokenizers, vectors);
    Learner learner(config, data, vectors, pool);
    const std::vector<BatchStream::Item> taken{costliest_batch(data, plan)};
    const Batch& batch = taken.front().batch;
    learner.update(taken, 1, 1);
    text += fmt::format(
        "memory\n  {:.0f} MiB at the peak of one update of the costliest batch ({} sentences, {} x {} pieces), "
        "{} on {}{}\n",
        mebibytes(peak_memory()), batch.sentences, batch.source_width, batch.target_width,
        counted(pool.size(), "worker"), device.str(), is_in_process(device) ? "" : " (host memory)");
    return text + "nothing was trained or written\n";
}

}  // namespace softalign

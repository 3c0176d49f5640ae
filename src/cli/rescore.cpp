#include "cli/score.h"

#include <spdlog/spdlog.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/stopwatch.h"
#include "cli/shared_work.h"
#include "platform/device.h"
#include "translate/batch_translator.h"
#include "translate/rescoring.h"
#include "translate/stream.h"
#include "translate/text_output.h"

namespace softalign {

namespace {

RescoringOptions options_of(const ScoreArguments& arguments, const Config& config, const Ensemble& ensemble) {
    RescoringOptions options;
    options.feature = arguments.feature_name;
    options.interpolate = arguments.interpolate;
    options.search = config.search;
    options.rewrite = rewriting_of(ensemble);
    return options;
}

void write(const std::vector<NBestBlock>& blocks, bool best, TextOutput& output) {
    for (const NBestBlock& block : blocks) {
        if (best) {
            output.write_line(block.entries.front().text);
            continue;
        }
        for (const NBestEntry& entry : block.entries) {
            output.write_line(to_line(entry));
        }
    }
}

void report(const Rescorer& rescorer, const NBestReader& list, const ScoreOptions& options, double seconds) {
    spdlog::info("{} entries of {} sentences in {:.2f} s ({})", rescorer.entries(),
                 list.sentences() - list.without_entries(), seconds, name_of(options.precision));
}

}  // namespace

int run_rescoring(const ScoreArguments& arguments, const Group& group, ProcessHelpers* helpers) {
    const Config config = arguments.models.config();
    NBestReader list(arguments.n_best, arguments.source, arguments.best, config.data.source_type);
    TextOutput output(arguments.output);
    const at::Device device = arguments.machine.pick_device(config);
    const LoadedEnsemble loaded = arguments.models.load(device);
    const ScoreOptions options = score_options(arguments, config, loaded, group, helpers);
    Scorer scorer(loaded.ensemble, options);
    Rescorer rescorer(scorer, options_of(arguments, config, loaded.ensemble));
    const Stopwatch watch;
    for (std::vector<NBestBlock> blocks; next_blocks(list, chunk_of(options), blocks);) {
        rescorer.rescore(blocks, list);
        write(blocks, arguments.best, output);
        output.flush();
    }
    dismiss(helpers);
    output.close();
    if (list.without_entries() > 0) {
        spdlog::warn("{} of {} sentences of {} have no entry in {}", list.without_entries(), list.sentences(),
                     arguments.source, arguments.n_best);
    }
    if (!arguments.quiet) {
        report(rescorer, list, options, watch.seconds());
    }
    return static_cast<int>(ExitCode::success);
}

}  // namespace softalign

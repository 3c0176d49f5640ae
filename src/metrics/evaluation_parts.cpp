#include "metrics/evaluation.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "metrics/breakdown.h"

namespace softalign {

namespace {

// What breakdowns look at, and the statistics of BLEU, which have the lengths of the texts.
struct Parts {
    explicit Parts(const ScoredTexts& scored) {
        input.references = &scored.references;
        input.words = bleu_options(scored.request);
        for (const std::unique_ptr<TextMetric>& metric : scored.metrics) {
            input.metrics.push_back(metric.get());
        }
        std::vector<const std::vector<std::string>*> systems;
        for (const NamedLines& system : scored.texts.systems) {
            systems.push_back(&system.lines);
        }
        lengths = collect_statistics(*make_bleu(input.words), scored.references, systems);
        for (std::size_t i = 0; i < systems.size(); ++i) {
            ScoredSystem system{scored.texts.systems[i].name, systems[i], {}, &lengths[i]};
            for (const std::vector<Statistics>& statistics : scored.statistics) {
                system.statistics.push_back(&statistics[i]);
            }
            input.systems.push_back(system);
        }
    }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    std::vector<Statistics> lengths;  // by system
    BreakdownInput input;
};

std::vector<Table> tables(const ScoredTexts& scored, const BreakdownInput& input) {
    const EvaluationTexts& texts = scored.texts;
    std::vector<Table> made;
    for (const std::string& name : scored.request.breakdowns) {
        if (name == "length") {
            made.push_back(texts.source && texts.source_is_text
                               ? by_length(input, texts.source->lines, "source")
                               : by_length(input, scored.streams.front(), "reference"));
        } else if (name == "frequency") {
            made.push_back(
                by_rarest_word(input, texts.source->lines, count_words(texts.training_source->lines, input.words)));
        } else {
            made.push_back(by_word_frequency(input, count_words(texts.training_target->lines, input.words)));
        }
    }
    return made;
}

// Calls action(metric, changes, system) for each system but the baseline. Single sentences are scored as with
// --sentence-level.
template <class Action>
void for_changes(const ScoredTexts& scored, const BreakdownInput& input, Action action) {
    EvaluationRequest request = scored.request;
    request.effective_order = true;
    const auto metrics = make_metrics(request);
    const std::vector<Statistics>& statistics = scored.statistics.front();
    for (std::size_t i = 1; request.changes > 0 && i < input.systems.size(); ++i) {
        action(*metrics.front(),
               greatest_changes(*metrics.front(), statistics.front(), statistics[i],
                                static_cast<std::size_t>(request.changes)),
               input.systems[i]);
    }
}

const std::vector<std::string>* source_of(const ScoredTexts& scored) {
    return scored.texts.source ? &scored.texts.source->lines : nullptr;
}

}  // namespace

std::string evaluation_parts(const ScoredTexts& scored) {
    constexpr int least_digits = 2;  // length ratios say nothing with one
    const Parts parts(scored);
    const int digits = static_cast<int>(scored.request.width);
    std::string text;
    for (const Table& table : tables(scored, parts.input)) {
        text += (text.empty() ? "" : "\n") + format_table(table, std::max(digits, least_digits));
    }
    for_changes(scored, parts.input, [&](const TextMetric& metric, const Changes& changes, const ScoredSystem& system) {
        text += (text.empty() ? "" : "\n") + format_changes(changes, metric, parts.input.systems.front(), system,
                                                            scored.references, source_of(scored), digits);
    });
    text.pop_back();
    return text;
}

void add_evaluation_parts(const ScoredTexts& scored, nlohmann::ordered_json& report) {
    const Parts parts(scored);
    for (const Table& table : tables(scored, parts.input)) {
        report["breakdowns"].push_back(table_as_json(table));
    }
    for_changes(scored, parts.input, [&](const TextMetric& metric, const Changes& changes, const ScoredSystem& system) {
        report["changes"].push_back(changes_as_json(changes, metric, parts.input.systems.front(), system,
                                                    scored.references, source_of(scored)));
    });
}

}  // namespace softalign

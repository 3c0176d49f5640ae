// Translations that repeat themselves or copy their source, searched again: a part of BatchTranslator.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/sentence_beam.h"
#include "translate/batch_translator.h"
#include "translate/output_faults.h"
#include "translate/text_order.h"

namespace softalign {

namespace {

constexpr std::int64_t no_repeat = 3;  // pieces: so no three words occur twice, and no two pieces three times in a row

void mark(std::vector<Hypothesis>& hypotheses, OutputFault fault, bool repaired) {
    for (Hypothesis& hypothesis : hypotheses) {
        hypothesis.fault = fault;
        hypothesis.repaired = repaired;
    }
}

}  // namespace

OutputFault BatchTranslator::fault_in(const Hypothesis& hypothesis, const EncodedSentence& sentence) const {
    std::vector<std::int32_t> ids = hypothesis.ids;
    if (ensemble_.reverse_target()) {
        std::reverse(ids.begin(), ids.end());
    }
    CheckedOutput output{ids, target_.decode(ids), sentence.pieces.front(), "", sentence.request->phrases};
    output.asked.push_back(sentence.request->prefix);
    if (!ensemble_.has_features()) {
        output.source = sentence.text();
    }
    return fault_of(output);
}

void BatchTranslator::repair(const std::vector<std::size_t>& batch, const std::vector<EncodedSentence>& sentences,
                             const ModelOfTasks& model_of, std::vector<std::vector<Hypothesis>>& found) const {
    std::vector<std::size_t> faulty;
    std::vector<SearchTask> tasks;
    for (std::size_t b = 0; b < batch.size(); ++b) {
        const EncodedSentence& sentence = sentences[batch[b]];
        const OutputFault fault = found[b].empty() ? OutputFault::none : fault_in(found[b].front(), sentence);
        if (fault == OutputFault::none) {
            continue;
        }
        mark(found[b], fault, false);
        faulty.push_back(b);
        tasks.push_back(sentence.task);
        if (fault == OutputFault::loop) {
            tasks.back().no_repeat_ngram = no_repeat;
            continue;
        }
        tasks.back().avoided = target_.encode(sentence.text());
        if (ensemble_.reverse_target()) {
            std::reverse(tasks.back().avoided.begin(), tasks.back().avoided.end());
        }
    }
    if (faulty.empty()) {
        return;
    }
    const auto model_of_faulty = [&](std::vector<std::size_t> numbers) {
        std::transform(numbers.begin(), numbers.end(), numbers.begin(), [&](std::size_t i) { return faulty[i]; });
        return model_of(numbers);
    };
    std::vector<std::vector<Hypothesis>> again = diverse_search(model_of_faulty, tasks, search_options());
    for (std::size_t i = 0; i < faulty.size(); ++i) {
        std::vector<Hypothesis>& before = found[faulty[i]];
        if (!again[i].empty() && fault_in(again[i].front(), sentences[batch[faulty[i]]]) == OutputFault::none) {
            mark(again[i], before.front().fault, true);
            before = std::move(again[i]);
        }
    }
}

}  // namespace softalign

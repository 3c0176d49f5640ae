#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/precision.h"
#include "config/config.h"
#include "platform/helpers.h"
#include "search/options.h"
#include "translate/shortlist.h"
#include "translate/unknown_words.h"

namespace softalign {

struct TranslateOptions {
    SearchConfig search;
    int workers = 1;
    std::int64_t first_sentence = 0;           // how many are counted before the first, by messages and samples
    Precision precision = Precision::float32;  // of products on the CPU; ignored if packed weights are given
    bool keep_attention = false;
    bool keep_model_log_probs = false;  // of each model of an ensemble
    bool keep_words = false;            // return the words of source and target
    // Search again where the best translation repeats itself or copies its source (output_faults.h): for loops, without
    // any three pieces twice; for copies, without any two pieces of the source. Not with sampling.
    bool repair = false;
    // Of the translations that are returned together, about; those of one sentence may take more.
    std::size_t answer_bytes = std::size_t{256} << 20;
    // The target pieces that each sentence may use, for the first model's vocabularies; null: all.
    std::shared_ptr<const Shortlist> shortlist = nullptr;
    // Of the target vocabulary: phrases must be whole words by these, where that keeps them apart from one another;
    // null: they may lie inside words.
    std::shared_ptr<const WordBoundaries> whole_words = nullptr;
    // Writes source words for the unknown piece, translated by this; null: off.
    std::shared_ptr<const Dictionary> replace_unk = nullptr;
    // Search some of the batches, with BatchTranslator::answer of the same models and options; null: none.
    Helpers* helpers = nullptr;
    // Called before each step of a search in this process, by the thread that searches; what it throws ends the
    // translation. Null: nothing.
    std::function<void()> before_step = nullptr;
};

// Throws Error(configuration), saying which and why, for options that are out of range, exclude each other, or need
// attention when there is none.
void check_options(const TranslateOptions& options, bool has_attention);

}  // namespace softalign

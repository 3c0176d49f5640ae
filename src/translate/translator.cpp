#include "translate/translator.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "search/seq2seq_stepper.h"
#include "translate/batching.h"

namespace softalign {

namespace {

// Keeps what a batch needs in memory in bounds where sentences are long: as many positions as there would be in a
// batch of sentences of this many pieces.
constexpr std::int64_t positions_a_sentence = 64;

constexpr std::int64_t longest_output = 1000000;

bool is_blank(const std::string& text) {
    return text.find_first_not_of(" \t\r\n\v\f") == std::string::npos;
}

void check(const TranslateOptions& options) {
    const auto require = [](bool condition, const char* what) {
        if (!condition) {
            throw Error(ExitCode::configuration, std::string("translation options: ") + what);
        }
    };
    require(options.beam >= 1, "the beam must be at least 1");
    require(options.n_best >= 1, "n-best must be at least 1");
    require(options.n_best <= options.beam,
            "n-best is more than the beam; a search keeps no more hypotheses than its beam is wide");
    require(options.length_alpha >= 0.0 && std::isfinite(options.length_alpha),
            "the length normalisation alpha must be 0 or more");
    require(options.max_length_ratio >= 0.0 && std::isfinite(options.max_length_ratio),
            "the maximum length ratio must be 0 or more");
    require(options.max_length_offset >= 0, "the maximum length offset must be 0 or more");
    require(options.batch_size >= 1, "the batch size must be at least 1");
    require(options.max_source_length >= 1, "the maximum source length must be at least 1");
    require(options.workers >= 1, "there must be at least 1 worker");
}

// A byte-fallback vocabulary can write line ends, which would break "one line in, one line out".
std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

}  // namespace

TranslateOptions translate_options(const SearchConfig& config) {
    TranslateOptions options;
    options.beam = config.beam;
    options.length_alpha = config.length_alpha;
    options.max_length_ratio = config.max_length_ratio;
    options.max_length_offset = config.max_length_offset;
    options.batch_size = config.batch_size;
    return options;
}

Translator::Translator(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                       const TranslateOptions& options)
    : model_(model), source_(source), target_(target), options_(options) {
    check(options_);
}

std::vector<std::int32_t> Translator::encode(const std::string& sentence) {
    ++sentences_;
    if (is_blank(sentence)) {
        return {};
    }
    std::vector<std::int32_t> pieces = source_.encode(sentence);
    const auto longest = static_cast<std::size_t>(options_.max_source_length);
    if (pieces.size() > longest) {
        pieces.resize(longest);
        ++cut_;
    }
    return pieces;
}

std::int64_t Translator::max_length(std::size_t source_pieces) const {
    const double length = options_.max_length_ratio * static_cast<double>(source_pieces) +
                          static_cast<double>(options_.max_length_offset);
    return static_cast<std::int64_t>(std::min(length, static_cast<double>(longest_output)));
}

std::vector<std::vector<Translation>> Translator::translate(const std::vector<std::string>& sentences) {
    std::vector<std::vector<Translation>> results(sentences.size());
    std::vector<std::vector<std::int32_t>> sources;  // of the sentences that are not empty
    std::vector<std::size_t> numbers;                // theirs
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        std::vector<std::int32_t> pieces = encode(sentences[i]);
        if (pieces.empty()) {
            results[i].emplace_back();
            results[i].front().source_ids = {source_.special().eos};
            continue;
        }
        lengths.push_back(static_cast<std::int64_t>(pieces.size()) + 1);
        sources.push_back(std::move(pieces));
        numbers.push_back(i);
    }
    std::vector<std::vector<Translation>> found(sources.size());
    const auto batches = batches_by_length(lengths, {options_.batch_size, options_.batch_size * positions_a_sentence});
    run_in_workers(batches.size(), options_.workers,
                   [&](std::size_t batch) { translate_batch(batches[batch], sources, found); });
    for (std::size_t i = 0; i < found.size(); ++i) {
        results[numbers[i]] = std::move(found[i]);
    }
    return results;
}

void Translator::translate_batch(const std::vector<std::size_t>& batch,
                                 const std::vector<std::vector<std::int32_t>>& sources,
                                 std::vector<std::vector<Translation>>& results) const {
    std::vector<std::int64_t> max_lengths;
    for (const std::size_t index : batch) {
        max_lengths.push_back(max_length(sources[index].size()));
    }
    const TensorBatch tensors = to_tensors(pad(batch, sources), model_.parameters().front().device());
    Seq2SeqStepper stepper(model_, tensors.source, tensors.source_mask);
    BeamSearchOptions search;
    search.beam = options_.beam;
    search.n_best = options_.n_best;
    search.length_alpha = options_.length_alpha;
    search.bos = target_.special().bos;
    search.eos = target_.special().eos;
    search.keep_attention = options_.keep_attention;
    std::vector<std::vector<Hypothesis>> found = beam_search(stepper, max_lengths, search);
    for (std::size_t b = 0; b < batch.size(); ++b) {
        for (Hypothesis& hypothesis : found[b]) {
            results[batch[b]].push_back(finish(std::move(hypothesis), sources[batch[b]]));
        }
    }
}

Batch Translator::pad(const std::vector<std::size_t>& batch,
                      const std::vector<std::vector<std::int32_t>>& sources) const {
    std::vector<Example> examples;
    std::vector<const Example*> rows;
    examples.reserve(batch.size());
    for (const std::size_t index : batch) {
        examples.push_back({static_cast<std::int64_t>(index), sources[index], {}});
        rows.push_back(&examples.back());
    }
    const SpecialIds source = source_.special();
    const SpecialIds target = target_.special();
    return make_batch(rows, {source.pad, source.eos, target.pad, target.bos, target.eos});
}

Translation Translator::finish(Hypothesis hypothesis, const std::vector<std::int32_t>& source) const {
    Translation translation;
    translation.text = one_line(target_.decode(hypothesis.ids));
    translation.log_prob = hypothesis.log_prob;
    translation.score = hypothesis.score;
    translation.source_ids = source;
    translation.source_ids.push_back(source_.special().eos);
    translation.ids = std::move(hypothesis.ids);
    translation.attention = std::move(hypothesis.attention);
    for (std::vector<float>& weights : translation.attention) {
        weights.resize(translation.source_ids.size());  // without the padding of the batch
    }
    return translation;
}

void Translator::warn_of_cuts() const {
    if (cut_ > 0) {
        spdlog::warn("{} of {} sentences had more than {} pieces and were cut there; split them, or raise the limit",
                     cut_, sentences_, options_.max_source_length);
    }
}

std::vector<std::vector<Translation>> translate(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                                                const std::vector<std::string>& sentences,
                                                const TranslateOptions& options) {
    Translator translator(model, source, target, options);
    auto results = translator.translate(sentences);
    translator.warn_of_cuts();
    return results;
}

}  // namespace softalign

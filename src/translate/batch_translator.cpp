#include "translate/batch_translator.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "data/corpus.h"
#include "search/seq2seq_stepper.h"
#include "text/words.h"
#include "translate/batching.h"
#include "translate/unknown_words.h"

namespace softalign {

namespace {

constexpr std::int64_t longest_output = 1000000;

TranslateOptions checked(const TranslateOptions& options, const ModelConfig& model) {
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
    require(!options.replace_unk || model.attention.type != AttentionType::none,
            "unknown pieces can be replaced by a model with attention alone");
    return options;
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
    options.forbid_unk = config.forbid_unk;
    return options;
}

BatchTranslator::BatchTranslator(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                                 const TranslateOptions& options, std::shared_ptr<WorkerPool> pool)
    : model_(model),
      source_(source),
      target_(target),
      options_(checked(options, model.config())),
      pool_(pool ? std::move(pool) : std::make_shared<WorkerPool>(options_.workers)) {}

std::vector<std::int32_t> BatchTranslator::encode(const std::string& sentence) {
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

std::int64_t BatchTranslator::max_length(std::size_t source_pieces) const {
    const double length = options_.max_length_ratio * static_cast<double>(source_pieces) +
                          static_cast<double>(options_.max_length_offset);
    return static_cast<std::int64_t>(std::min(length, static_cast<double>(longest_output)));
}

std::vector<std::vector<Translation>> BatchTranslator::translate(const std::vector<std::string>& sentences) {
    std::vector<std::vector<Translation>> results(sentences.size());
    std::vector<Sentence> present;     // those that are not empty
    std::vector<std::size_t> numbers;  // theirs
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        std::vector<std::int32_t> pieces = encode(sentences[i]);
        if (pieces.empty()) {
            results[i].emplace_back();
            results[i].front().source_ids = {source_.special().eos};
            continue;
        }
        lengths.push_back(static_cast<std::int64_t>(pieces.size()) + 1);
        present.push_back({&sentences[i], std::move(pieces)});
        numbers.push_back(i);
    }
    std::vector<std::vector<Translation>> found(present.size());
    const auto batches = batches_by_length(lengths, limits_of(options_.batch_size));
    pool_->run(static_cast<std::int64_t>(batches.size()), [&](std::int64_t batch, int) {
        translate_batch(batches[static_cast<std::size_t>(batch)], present, found);
    });
    for (std::size_t i = 0; i < found.size(); ++i) {
        results[numbers[i]] = std::move(found[i]);
    }
    return results;
}

void BatchTranslator::translate_batch(const std::vector<std::size_t>& batch, const std::vector<Sentence>& sentences,
                                      std::vector<std::vector<Translation>>& results) const {
    std::vector<std::int64_t> max_lengths;
    for (const std::size_t index : batch) {
        max_lengths.push_back(max_length(sentences[index].pieces.size()));
    }
    const TensorBatch tensors = to_tensors(pad(batch, sentences), model_.parameters().front().device());
    Seq2SeqStepper stepper(model_, tensors.source, tensors.source_mask);
    std::vector<std::vector<Hypothesis>> found = search(stepper, max_lengths, search_options());
    for (std::size_t b = 0; b < batch.size(); ++b) {
        for (Hypothesis& hypothesis : found[b]) {
            results[batch[b]].push_back(finish(std::move(hypothesis), sentences[batch[b]]));
        }
    }
}

SearchOptions BatchTranslator::search_options() const {
    SearchOptions search;
    search.beam = options_.beam;
    search.n_best = options_.n_best;
    search.length_alpha = options_.length_alpha;
    search.bos = target_.special().bos;
    search.eos = target_.special().eos;
    search.unk = options_.forbid_unk ? target_.special().unk : -1;
    search.keep_attention = options_.keep_attention || options_.replace_unk != nullptr;
    return search;
}

Batch BatchTranslator::pad(const std::vector<std::size_t>& batch, const std::vector<Sentence>& sentences) const {
    std::vector<Example> examples;
    examples.reserve(batch.size());
    for (const std::size_t index : batch) {
        examples.push_back({static_cast<std::int64_t>(index), sentences[index].pieces, {}});
    }
    return make_batch(examples, special_ids(source_, target_));
}

Translation BatchTranslator::finish(Hypothesis hypothesis, const Sentence& sentence) const {
    Translation translation;
    translation.text = one_line(text_of(hypothesis, sentence));
    static_cast<Hypothesis&>(translation) = std::move(hypothesis);
    translation.source_ids = sentence.pieces;
    translation.source_ids.push_back(source_.special().eos);
    if (!options_.keep_attention) {
        translation.attention.clear();
    }
    for (std::vector<float>& weights : translation.attention) {
        weights.resize(translation.source_ids.size());  // without the padding of the batch
    }
    return translation;
}

std::string BatchTranslator::text_of(const Hypothesis& hypothesis, const Sentence& sentence) const {
    const std::vector<std::int32_t>& ids = hypothesis.ids;
    if (options_.replace_unk == nullptr || std::count(ids.begin(), ids.end(), target_.special().unk) == 0) {
        return target_.decode(ids);
    }
    std::vector<std::string> words = source_.words(*sentence.text);
    words.resize(sentence.pieces.size());  // a long sentence is cut
    return replace_unknown({ids, hypothesis.attention}, words, target_, *options_.replace_unk);
}

void BatchTranslator::warn_of_cuts() const {
    if (cut_ > 0) {
        spdlog::warn("{} of {} sentences had more than {} pieces and were cut there; split them, or raise the limit",
                     cut_, sentences_, options_.max_source_length);
    }
}

std::vector<std::vector<Translation>> translate(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                                                const std::vector<std::string>& sentences,
                                                const TranslateOptions& options) {
    BatchTranslator translator(model, source, target, options);
    auto results = translator.translate(sentences);
    translator.warn_of_cuts();
    return results;
}

}  // namespace softalign

#include "translate/batch_translator.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "data/corpus.h"
#include "search/phrases.h"
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
    const SearchOptions& search = options.search;
    require(search.beam >= 1, "the beam must be at least 1");
    require(search.n_best >= 1, "n-best must be at least 1");
    require(search.n_best <= search.beam,
            "n-best is more than the beam; a search keeps no more hypotheses than its beam is wide");
    require(search.patience >= 0.0 && std::isfinite(search.patience), "the patience must be 0 or more");
    require(search.scoring.length_alpha >= 0.0 && std::isfinite(search.scoring.length_alpha),
            "the length normalisation alpha must be 0 or more");
    require(search.scoring.coverage_penalty >= 0.0 && std::isfinite(search.scoring.coverage_penalty),
            "the coverage penalty must be 0 or more");
    require(std::isfinite(search.scoring.word_penalty), "the word penalty must be a number");
    require(search.no_repeat_ngram >= 0, "the n of no-repeat n-grams must be 0 or more");
    require(search.groups >= 1 && search.beam % search.groups == 0, "the groups must divide the beam");
    require(search.diversity >= 0.0 && std::isfinite(search.diversity), "the diversity must be 0 or more");
    require(!search.sampling || search.groups == 1, "sampling and groups exclude each other");
    require(!search.sampling || (search.sampling->temperature > 0.0 && std::isfinite(search.sampling->temperature)),
            "the temperature must be above 0");
    require(!search.sampling || search.sampling->top_k >= 0, "top-k must be 0 or more");
    require(!search.sampling || (search.sampling->top_p > 0.0 && search.sampling->top_p <= 1.0),
            "top-p must be above 0 and at most 1");
    require(options.min_length_ratio >= 0.0 && std::isfinite(options.min_length_ratio),
            "the minimum length ratio must be 0 or more");
    require(options.max_length_ratio >= 0.0 && std::isfinite(options.max_length_ratio),
            "the maximum length ratio must be 0 or more");
    require(options.max_length_offset >= 0, "the maximum length offset must be 0 or more");
    require(options.min_length >= 0 && options.max_length >= 0, "minimum and maximum length must be 0 or more");
    require(options.max_length == 0 || options.min_length <= options.max_length,
            "the minimum length is more than the maximum length");
    require(options.batch_size >= 1, "the batch size must be at least 1");
    require(options.max_source_length >= 1, "the maximum source length must be at least 1");
    require(options.workers >= 1, "there must be at least 1 worker");
    require(!options.replace_unk || model.attention.type != AttentionType::none,
            "unknown pieces can be replaced by a model with attention alone");
    require(search.scoring.coverage_penalty == 0.0 || model.attention.type != AttentionType::none,
            "the coverage penalty needs a model with attention");
    return options;
}

// A length as a whole number, rounded down.
std::int64_t whole(double length) {
    return static_cast<std::int64_t>(std::min(length, static_cast<double>(longest_output)));
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
    options.search.beam = config.beam;
    options.search.patience = config.patience;
    options.search.scoring = {config.length_norm, config.length_alpha, config.coverage_penalty, config.word_penalty};
    options.search.no_repeat_ngram = config.no_repeat_ngram;
    options.min_length_ratio = config.min_length_ratio;
    options.max_length_ratio = config.max_length_ratio;
    options.max_length_offset = config.max_length_offset;
    options.min_length = config.min_length;
    options.max_length = config.max_length;
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

SearchTask BatchTranslator::task_of(const TranslationRequest& request, std::size_t source_pieces, std::int64_t number) {
    const auto pieces = static_cast<double>(source_pieces);
    SearchTask task;
    task.max_length = whole(options_.max_length_ratio * pieces + static_cast<double>(options_.max_length_offset));
    if (options_.max_length > 0) {
        task.max_length = std::min(task.max_length, options_.max_length);
    }
    task.min_length =
        std::min(task.max_length, std::max(options_.min_length, whole(options_.min_length_ratio * pieces)));
    task.source_length = static_cast<std::int64_t>(source_pieces);
    task.key = static_cast<std::uint64_t>(number);
    if (!request.prefix.empty() || !request.phrases.empty()) {
        constrain(request, number, task);
    }
    return task;
}

void BatchTranslator::constrain(const TranslationRequest& request, std::int64_t number, SearchTask& task) {
    const bool backwards = model_.config().decoder.reverse_target;
    if (backwards && !request.prefix.empty()) {
        throw Error(ExitCode::configuration,
                    "a translation's start cannot be given to a model that writes from the right to the left");
    }
    if (!request.phrases.empty() && (options_.search.sampling || options_.search.groups > 1)) {
        throw Error(ExitCode::configuration,
                    "phrases that must occur go neither with sampling nor with diverse groups");
    }
    if (!constraints_) {
        constraints_ = std::make_unique<TargetConstraints>(target_);
    }
    task.prefix = constraints_->starts_with(request.prefix);
    try {
        for (const std::string& phrase : request.phrases) {
            task.phrases.push_back(constraints_->phrase(phrase));
            if (backwards) {
                std::reverse(task.phrases.back().begin(), task.phrases.back().end());
            }
        }
    } catch (const Error& error) {
        throw Error(error.code(), "sentence " + std::to_string(number + 1) + ": " + error.what());
    }
    if (task.phrases.size() > Phrases::most) {
        throw Error(ExitCode::data, "sentence " + std::to_string(number + 1) + " has more than " +
                                        std::to_string(Phrases::most) + " phrases that must occur; give fewer");
    }
    std::int64_t asked = std::max<std::int64_t>(static_cast<std::int64_t>(task.prefix.nodes.size()) - 1, 0);
    asked += Phrases(task.phrases).tokens();
    task.max_length = std::max(task.max_length, asked);
}

std::vector<std::vector<Translation>> BatchTranslator::translate(const std::vector<std::string>& sentences) {
    std::vector<TranslationRequest> requests(sentences.size());
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        requests[i].text = sentences[i];
    }
    return translate(requests);
}

std::vector<std::vector<Translation>> BatchTranslator::translate(const std::vector<TranslationRequest>& requests) {
    std::vector<std::vector<Translation>> results(requests.size());
    std::vector<Sentence> present;     // those that are not empty
    std::vector<std::size_t> numbers;  // theirs
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const std::int64_t number = sentences_;
        std::vector<std::int32_t> pieces = encode(requests[i].text);
        if (pieces.empty()) {
            results[i].push_back(empty_translation(requests[i].text));
            continue;
        }
        SearchTask task = task_of(requests[i], pieces.size(), number);
        lengths.push_back(static_cast<std::int64_t>(pieces.size()) + 1);
        PieceWords words;
        if (options_.keep_words || options_.replace_unk != nullptr) {
            words = source_words(requests[i].text, source_, pieces.size());
        }
        present.push_back({&requests[i].text, std::move(pieces), std::move(task), std::move(words)});
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
    std::vector<SearchTask> tasks;
    for (const std::size_t index : batch) {
        tasks.push_back(sentences[index].task);
    }
    const TensorBatch tensors = to_tensors(pad(batch, sentences), model_.parameters().front().device());
    Seq2SeqStepper stepper(model_, tensors.source, tensors.source_mask);
    std::vector<std::vector<Hypothesis>> found = search(stepper, tasks, search_options());
    for (std::size_t b = 0; b < batch.size(); ++b) {
        for (Hypothesis& hypothesis : found[b]) {
            results[batch[b]].push_back(finish(std::move(hypothesis), sentences[batch[b]]));
        }
    }
}

SearchOptions BatchTranslator::search_options() const {
    SearchOptions options = options_.search;
    options.bos = target_.special().bos;
    options.eos = target_.special().eos;
    options.unk = options_.forbid_unk ? target_.special().unk : -1;
    options.keep_attention = options_.keep_attention || options_.replace_unk != nullptr;
    options.keep_model_log_probs = options_.keep_model_log_probs;
    return options;
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
    std::vector<std::string> words_of_pieces;
    for (const WordRange& range : sentence.words.of_piece) {
        words_of_pieces.push_back(sentence.words.words[range.begin]);
    }
    Translation translation;
    translation.text = one_line(text_of(hypothesis, words_of_pieces));
    if (options_.keep_words) {
        translation.source_words = sentence.words;
        translation.target_words = find_words(translation.text, hypothesis, words_of_pieces);
    }
    static_cast<Hypothesis&>(translation) = std::move(hypothesis);
    translation.source = *sentence.text;
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

Translation BatchTranslator::empty_translation(const std::string& sentence) const {
    Translation translation;
    translation.source = sentence;
    translation.source_ids = {source_.special().eos};
    translation.token_log_probs = {0.0F};
    if (options_.keep_attention && model_.config().attention.type != AttentionType::none) {
        translation.attention = {{1.0F}};
    }
    if (options_.keep_words) {
        translation.source_words = source_words(sentence, source_, 0);
    }
    return translation;
}

// words_of_pieces: the word of each source piece, where unknown pieces are replaced.
std::string BatchTranslator::text_of(const Hypothesis& hypothesis,
                                     const std::vector<std::string>& words_of_pieces) const {
    const std::vector<std::int32_t>& ids = hypothesis.ids;
    if (options_.replace_unk == nullptr || std::count(ids.begin(), ids.end(), target_.special().unk) == 0) {
        return target_.decode(ids);
    }
    return replace_unknown({ids, hypothesis.attention}, words_of_pieces, target_, *options_.replace_unk);
}

PieceWords BatchTranslator::find_words(const std::string& text, const Hypothesis& hypothesis,
                                       const std::vector<std::string>& words_of_pieces) const {
    Hypothesis beginning;
    beginning.attention = hypothesis.attention;
    return target_words(text, hypothesis.ids.size(), [&](std::size_t pieces) {
        beginning.ids.assign(hypothesis.ids.begin(), hypothesis.ids.begin() + static_cast<std::ptrdiff_t>(pieces));
        return text_of(beginning, words_of_pieces);
    });
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

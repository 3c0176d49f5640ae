#include "translate/batch_translator.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "data/corpus.h"
#include "search/phrases.h"
#include "text/words.h"
#include "translate/batching.h"
#include "translate/text_order.h"
#include "translate/unknown_words.h"

namespace softalign {

namespace {

constexpr std::int64_t longest_output = 1000000;

TranslateOptions checked(const TranslateOptions& options, bool has_attention) {
    check_options(options, has_attention);
    return options;
}

// A length as a whole number, rounded down.
std::int64_t whole(double length) {
    return static_cast<std::int64_t>(std::min(length, static_cast<double>(longest_output)));
}

std::int64_t longest_of(const std::vector<std::vector<std::int32_t>>& pieces) {
    std::size_t longest = 0;
    for (const std::vector<std::int32_t>& one : pieces) {
        longest = std::max(longest, one.size());
    }
    return static_cast<std::int64_t>(longest);
}

// A byte-fallback vocabulary can write line ends, which would break "one line in, one line out".
std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

}  // namespace

BatchTranslator::BatchTranslator(const Ensemble& ensemble, const TranslateOptions& options,
                                 std::shared_ptr<WorkerPool> pool, std::shared_ptr<PackedWeights> packed)
    : ensemble_(ensemble),
      source_(ensemble_.source()),
      target_(ensemble_.target()),
      options_(checked(options, ensemble_.has_attention())),
      pool_(pool ? std::move(pool) : std::make_shared<WorkerPool>(options_.workers)),
      packed_(packed ? std::move(packed) : std::make_shared<PackedWeights>(options_.precision)) {}

BatchTranslator::BatchTranslator(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                                 const TranslateOptions& options, std::shared_ptr<WorkerPool> pool,
                                 std::shared_ptr<PackedWeights> packed)
    : BatchTranslator(Ensemble(model, source, target), options, std::move(pool), std::move(packed)) {}

BatchTranslator::Sentence BatchTranslator::encode(const std::string& text) {
    ++sentences_;
    const bool blank = is_blank(text);
    const auto longest = static_cast<std::size_t>(options_.max_source_length);
    bool cut = false;
    Sentence sentence{&text, {}, {}, {}};
    for (const EnsembleMember& member : ensemble_.members()) {
        sentence.pieces.push_back(blank ? std::vector<std::int32_t>() : member.source.encode(text));
        cut = cut || sentence.pieces.back().size() > longest;
        sentence.pieces.back().resize(std::min(sentence.pieces.back().size(), longest));
    }
    cut_ += cut ? 1 : 0;
    return sentence;
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
    const bool backwards = ensemble_.reverse_target();
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
        Sentence sentence = encode(requests[i].text);
        const std::size_t pieces = sentence.pieces.front().size();
        if (pieces == 0) {
            results[i].push_back(empty_translation(requests[i].text));
            continue;
        }
        sentence.task = task_of(requests[i], pieces, number);
        lengths.push_back(longest_of(sentence.pieces) + 1);
        if (options_.keep_words || options_.replace_unk != nullptr) {
            sentence.words = source_words(requests[i].text, source_, pieces);
        }
        present.push_back(std::move(sentence));
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
    const UsePackedWeights use(packed_.get());
    std::vector<SearchTask> tasks;
    tasks.reserve(batch.size());
    for (const std::size_t index : batch) {
        tasks.push_back(sentences[index].task);
    }
    std::vector<EnsembleSource> sources;
    for (std::size_t member = 0; member < ensemble_.members().size(); ++member) {
        sources.push_back(source_of(member, batch, sentences));
    }
    const std::optional<Candidates> candidates = candidates_of(batch, sentences);
    const auto stepper = ensemble_.stepper(sources, options_.keep_model_log_probs, options_.search.beam,
                                           candidates ? &*candidates : nullptr);
    std::vector<std::vector<Hypothesis>> found = search(*stepper, tasks, search_options());
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

EnsembleSource BatchTranslator::source_of(std::size_t member, const std::vector<std::size_t>& batch,
                                          const std::vector<Sentence>& sentences) const {
    std::vector<Example> examples;
    examples.reserve(batch.size());
    // Vocabularies of the same pieces may still cut a sentence into others.
    bool shares_source = ensemble_.shares_source(member);
    for (const std::size_t index : batch) {
        const auto& pieces = sentences[index].pieces;
        examples.push_back({static_cast<std::int64_t>(index), pieces[member], {}});
        shares_source = shares_source && pieces[member] == pieces.front();
    }
    const Tokenizer& tokenizer = ensemble_.members()[member].source;
    const TensorBatch tensors = to_tensors(make_batch(examples, special_ids(tokenizer, target_)), ensemble_.device());
    return {tensors.source, tensors.source_mask, shares_source};
}

std::optional<Candidates> BatchTranslator::candidates_of(const std::vector<std::size_t>& batch,
                                                         const std::vector<Sentence>& sentences) const {
    if (!options_.shortlist) {
        return std::nullopt;
    }
    std::vector<std::vector<std::int32_t>> of_sentences;
    of_sentences.reserve(batch.size());
    for (const std::size_t index : batch) {
        std::vector<std::int32_t>& tokens = of_sentences.emplace_back();
        std::vector<std::int32_t> pieces = sentences[index].pieces.front();
        pieces.push_back(source_.special().eos);
        options_.shortlist->add_candidates(pieces, tokens);
        const SearchTask& task = sentences[index].task;
        for (const std::vector<PrefixGraph::Edge>& edges : task.prefix.nodes) {
            for (const PrefixGraph::Edge& edge : edges) {
                tokens.push_back(edge.token);
            }
        }
        for (const std::vector<std::int32_t>& phrase : task.phrases) {
            tokens.insert(tokens.end(), phrase.begin(), phrase.end());
        }
    }
    return make_candidates(of_sentences, ensemble_.device());
}

Translation BatchTranslator::finish(Hypothesis hypothesis, const Sentence& sentence) const {
    if (ensemble_.reverse_target()) {
        to_text_order(hypothesis);
    }
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
    translation.source_ids = sentence.pieces.front();
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
    if (options_.keep_model_log_probs && ensemble_.members().size() > 1) {
        translation.model_token_log_probs.resize(ensemble_.members().size(), {0.0F});
    }
    if (options_.keep_attention && ensemble_.has_attention()) {
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

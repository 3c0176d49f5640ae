#include "translate/batch_translator.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/warning.h"
#include "data/corpus.h"
#include "search/diverse_search.h"
#include "translate/batching.h"
#include "translate/text_order.h"
#include "translate/unknown_words.h"
#include "translate/unmet_rules.h"

namespace softalign {

namespace {

TranslateOptions checked(const TranslateOptions& options, bool has_attention) {
    check_options(options, has_attention);
    return options;
}

// A byte-fallback vocabulary can write line ends, which would break "one line in, one line out".
std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

// The tokens without which the start or a phrase could not be written. Where the output may end instead, there are
// none.
void add_tokens(const SearchTask& task, std::vector<std::int32_t>& tokens) {
    const bool may_end = task.phrases.empty() && task.min_length == 0;
    for (std::size_t node = 0; node < task.prefix.nodes.size(); ++node) {
        if (may_end && static_cast<std::int32_t>(node) == task.prefix.may_end) {
            continue;
        }
        for (const PrefixGraph::Edge& edge : task.prefix.nodes[node]) {
            tokens.push_back(edge.token);
        }
    }
    for (const std::vector<std::int32_t>& phrase : task.phrases) {
        tokens.insert(tokens.end(), phrase.begin(), phrase.end());
    }
}

}  // namespace

BatchTranslator::BatchTranslator(const Ensemble& ensemble, const TranslateOptions& options,
                                 std::shared_ptr<WorkerPool> pool, std::shared_ptr<PackedWeights> packed)
    : ensemble_(ensemble),
      source_(ensemble_.source()),
      target_(ensemble_.target()),
      silent_(target_.silent_ids()),
      options_(checked(options, ensemble_.has_attention())),
      pool_(pool ? std::move(pool) : std::make_shared<WorkerPool>(options_.workers)),
      packed_(packed ? std::move(packed) : std::make_shared<PackedWeights>(options_.precision)),
      encoder_(ensemble_, options_) {}

BatchTranslator::BatchTranslator(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                                 const TranslateOptions& options, std::shared_ptr<WorkerPool> pool,
                                 std::shared_ptr<PackedWeights> packed)
    : BatchTranslator(Ensemble(model, source, target), options, std::move(pool), std::move(packed)) {}

std::vector<std::vector<Translation>> BatchTranslator::translate(const std::vector<std::string>& sentences) {
    std::vector<TranslationRequest> requests(sentences.size());
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        requests[i].text = sentences[i];
    }
    return translate(requests);
}

std::vector<std::vector<Translation>> BatchTranslator::translate(const std::vector<TranslationRequest>& requests) {
    TranslatedSentences translated = translate_until_failure(requests);
    if (translated.failure) {
        std::rethrow_exception(translated.failure);
    }
    return std::move(translated.found);
}

TranslatedSentences BatchTranslator::translate_until_failure(const std::vector<TranslationRequest>& requests) {
    TranslatedSentences translated;
    std::vector<std::vector<Translation>>& results = translated.found;
    std::vector<EncodedSentence> present;  // those that are not empty
    std::vector<std::size_t> numbers;      // theirs
    std::vector<std::int64_t> lengths;
    try {
        for (const TranslationRequest& request : requests) {
            EncodedSentence sentence = encoder_.encode(request);
            results.emplace_back();
            if (sentence.empty()) {
                results.back().push_back(empty_translation(request.text));
                continue;
            }
            lengths.push_back(sentence.longest() + 1);
            present.push_back(std::move(sentence));
            numbers.push_back(results.size() - 1);
        }
    } catch (const Error&) {
        translated.failure = std::current_exception();
    }
    std::vector<std::vector<Translation>> found(present.size());
    const auto batches = batches_by_length(lengths, limits_of(options_.batch_size));
    short_of_memory_ += run_batches(
        *pool_, batches, [&](const std::vector<std::size_t>& batch) { translate_batch(batch, present, found); });
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i].empty()) {
            translated.failure = std::make_exception_ptr(unmet_rules(present[i], options_));
            results.resize(numbers[i]);
            break;
        }
        results[numbers[i]] = std::move(found[i]);
    }
    return translated;
}

void BatchTranslator::translate_batch(const std::vector<std::size_t>& batch,
                                      const std::vector<EncodedSentence>& sentences,
                                      std::vector<std::vector<Translation>>& results) const {
    const UsePackedWeights use(packed_.get());
    std::vector<SearchTask> tasks;
    tasks.reserve(batch.size());
    for (const std::size_t index : batch) {
        tasks.push_back(sentences[index].task);
    }
    const auto model_of = [&](const std::vector<std::size_t>& numbers) {
        std::vector<std::size_t> part;
        for (const std::size_t number : numbers) {
            part.push_back(batch[number]);
        }
        std::vector<EnsembleSource> sources;
        for (std::size_t member = 0; member < ensemble_.members().size(); ++member) {
            sources.push_back(source_of(member, part, sentences));
        }
        const std::optional<Candidates> candidates = candidates_of(part, sentences);
        return ensemble_.stepper(sources, options_.keep_model_log_probs, options_.search.beam,
                                 candidates ? &*candidates : nullptr);
    };
    std::vector<std::vector<Hypothesis>> found = diverse_search(model_of, tasks, search_options());
    for (std::size_t b = 0; b < batch.size(); ++b) {
        results[batch[b]].clear();  // of what ran out of memory
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
    options.silent = silent_;
    options.keep_attention = options_.keep_attention || options_.replace_unk != nullptr;
    options.keep_model_log_probs = options_.keep_model_log_probs;
    return options;
}

EnsembleSource BatchTranslator::source_of(std::size_t member, const std::vector<std::size_t>& batch,
                                          const std::vector<EncodedSentence>& sentences) const {
    std::vector<Example> examples;
    examples.reserve(batch.size());
    for (const std::size_t index : batch) {
        examples.push_back({static_cast<std::int64_t>(index), sentences[index].pieces[member], {}});
    }
    const Tokenizer& tokenizer = ensemble_.members()[member].source;
    const TensorBatch tensors = to_tensors(make_batch(examples, special_ids(tokenizer, target_)), ensemble_.device());
    return {tensors.source, tensors.source_mask};
}

std::optional<Candidates> BatchTranslator::candidates_of(const std::vector<std::size_t>& batch,
                                                         const std::vector<EncodedSentence>& sentences) const {
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
        add_tokens(sentences[index].task, tokens);
    }
    return make_candidates(of_sentences, ensemble_.device());
}

Translation BatchTranslator::finish(Hypothesis hypothesis, const EncodedSentence& sentence) const {
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

void BatchTranslator::warn() const {
    if (encoder_.cut() > 0) {
        softalign::warn(std::to_string(encoder_.cut()) + " of " + std::to_string(encoder_.sentences()) +
                        " sentences had more than " + std::to_string(options_.max_source_length) +
                        " pieces and were cut there; split them, or raise the limit");
    }
    if (short_of_memory_ > 0) {
        softalign::warn("memory ran out; " + std::to_string(short_of_memory_) +
                        " batches were translated again one after another or in parts, with the same result; smaller "
                        "batches or fewer workers would be faster");
    }
}

std::vector<std::vector<Translation>> translate(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                                                const std::vector<std::string>& sentences,
                                                const TranslateOptions& options, std::shared_ptr<WorkerPool> pool) {
    BatchTranslator translator(model, source, target, options, std::move(pool));
    auto results = translator.translate(sentences);
    translator.warn();
    return results;
}

}  // namespace softalign

#include "translate/batch_translator.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/corpus.h"
#include "search/watched_stepper.h"
#include "translate/batching.h"
#include "translate/sentence_encoder.h"

namespace softalign {

namespace {

TranslateOptions checked(const TranslateOptions& options, bool has_attention) {
    check_options(options, has_attention);
    return options;
}

std::vector<TranslationRequest> requests_of(const std::vector<std::string>& sentences) {
    std::vector<TranslationRequest> requests(sentences.size());
    std::transform(sentences.begin(), sentences.end(), requests.begin(), [](const std::string& sentence) {
        return TranslationRequest{sentence, "", {}};
    });
    return requests;
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

void BatchTranslator::translate(const std::vector<std::string>& sentences, const Take& take) {
    translate(requests_of(sentences), take);
}

std::vector<std::vector<Translation>> BatchTranslator::translate(const std::vector<std::string>& sentences) {
    return translate(requests_of(sentences));
}

std::vector<std::vector<Translation>> BatchTranslator::translate(const std::vector<TranslationRequest>& requests) {
    std::vector<std::vector<Translation>> results;
    results.reserve(requests.size());
    translate(requests, [&](std::vector<std::vector<Translation>> part) {
        std::move(part.begin(), part.end(), std::back_inserter(results));
    });
    return results;
}

void BatchTranslator::translate(const std::vector<TranslationRequest>& requests, const Take& take) {
    std::vector<EncodedSentence> part;
    std::size_t bytes = 0;
    const auto finish_part = [&] {
        if (!part.empty()) {
            bytes = 0;
            TranslatedSentences translated = translate_part(std::exchange(part, {}));
            take(std::move(translated.found));
            if (translated.failure) {
                std::rethrow_exception(translated.failure);
            }
        }
    };
    std::exception_ptr failure;
    for (auto request = requests.begin(); request != requests.end() && !failure; ++request) {
        EncodedSentence sentence{};
        try {
            sentence = encoder_.encode(*request);
        } catch (const Error&) {
            failure = std::current_exception();
            continue;
        }
        const std::size_t more = most_bytes(sentence);
        if (bytes + more > options_.answer_bytes) {
            finish_part();
        }
        part.push_back(std::move(sentence));
        bytes += more;
    }
    finish_part();
    if (failure) {
        std::rethrow_exception(failure);
    }
}

std::size_t BatchTranslator::most_bytes(const EncodedSentence& sentence) const {
    const bool models = options_.keep_model_log_probs && ensemble_.members().size() > 1;
    return most_answer_bytes(sentence, options_, models ? ensemble_.members().size() : 0,
                             options_.keep_attention && ensemble_.has_attention());
}

BatchTranslator::TranslatedSentences BatchTranslator::translate_part(const std::vector<EncodedSentence>& sentences) {
    TranslatedSentences translated{std::vector<std::vector<Translation>>(sentences.size()), nullptr};
    std::vector<std::vector<Translation>>& found = translated.found;
    std::vector<std::size_t> present;   // the sentences that are not empty
    std::vector<std::int64_t> lengths;  // theirs
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        if (sentences[i].empty()) {
            found[i].push_back(empty_translation(sentences[i].text()));
        } else {
            present.push_back(i);
            lengths.push_back(sentences[i].longest());
        }
    }
    auto batches = batches_by_length(lengths, limits_of(options_.search.batch_size));
    for (std::vector<std::size_t>& batch : batches) {
        std::transform(batch.begin(), batch.end(), batch.begin(), [&](std::size_t index) { return present[index]; });
    }
    short_of_memory_ += run_batches(
        *pool_, batches, [&](const std::vector<std::size_t>& batch) { translate_batch(batch, sentences, found); },
        help_with(sentences, found));
    for (const std::vector<Translation>& of_one : found) {
        faulty_ += !of_one.empty() && of_one.front().fault != OutputFault::none ? 1 : 0;
        repaired_ += !of_one.empty() && of_one.front().repaired ? 1 : 0;
    }
    const auto none = std::find_if(found.begin(), found.end(), [](const auto& of_one) { return of_one.empty(); });
    if (none != found.end()) {
        const EncodedSentence& sentence = sentences[static_cast<std::size_t>(none - found.begin())];
        translated.failure = std::make_exception_ptr(unmet_rules(sentence, options_));
        found.erase(none, found.end());
    }
    return translated;
}

void BatchTranslator::translate_batch(const std::vector<std::size_t>& batch,
                                      const std::vector<EncodedSentence>& sentences,
                                      std::vector<std::vector<Translation>>& results) const {
    finish_batch(batch, sentences, search_batch(batch, sentences), results);
}

std::vector<std::vector<Hypothesis>> BatchTranslator::search_batch(
    const std::vector<std::size_t>& batch, const std::vector<EncodedSentence>& sentences) const {
    std::vector<SearchTask> tasks;
    tasks.reserve(batch.size());
    for (const std::size_t index : batch) {
        tasks.push_back(sentences[index].task);
    }
    const SearchOptions options = search_options();
    const auto model_of = [&](const std::vector<std::size_t>& numbers) {
        std::vector<std::size_t> part;
        for (const std::size_t number : numbers) {
            part.push_back(batch[number]);
        }
        std::vector<SourceBatch> sources;
        for (std::size_t member = 0; member < ensemble_.members().size(); ++member) {
            sources.push_back(source_of(member, part, sentences));
        }
        const std::optional<Candidates> candidates = candidates_of(part, sentences);
        std::unique_ptr<StepModel> model =
            ensemble_.stepper(sources, Execution(packed_.get(), nullptr), options.keep_model_log_probs,
                              {candidates ? &*candidates : nullptr, width_of(options),
                               options.reads_attention() ? Weights::wanted : Weights::unwanted});
        if (options_.before_step) {
            model = std::make_unique<WatchedStepper>(std::move(model), options_.before_step);
        }
        return model;
    };
    std::vector<std::vector<Hypothesis>> found = diverse_search(model_of, tasks, options);
    if (options_.repair) {
        repair(batch, sentences, model_of, found);
    }
    return found;
}

void BatchTranslator::finish_batch(const std::vector<std::size_t>& batch, const std::vector<EncodedSentence>& sentences,
                                   std::vector<std::vector<Hypothesis>> found,
                                   std::vector<std::vector<Translation>>& results) const {
    for (std::size_t b = 0; b < batch.size(); ++b) {
        results[batch[b]].clear();  // of what ran out of memory
        for (Hypothesis& hypothesis : found[b]) {
            results[batch[b]].push_back(finish(std::move(hypothesis), sentences[batch[b]]));
        }
    }
}

SearchOptions BatchTranslator::search_options() const {
    SearchOptions options{options_.search};
    options.bos = target_.special().bos;
    options.eos = target_.special().eos;
    options.unk = options_.search.forbid_unk ? target_.special().unk : -1;
    options.silent = silent_;
    options.keep_attention = options_.keep_attention || options_.replace_unk != nullptr;
    options.keep_model_log_probs = options_.keep_model_log_probs;
    return options;
}

SourceBatch BatchTranslator::source_of(std::size_t member, const std::vector<std::size_t>& batch,
                                       const std::vector<EncodedSentence>& sentences) const {
    std::vector<Example> examples;
    examples.reserve(batch.size());
    for (const std::size_t index : batch) {
        examples.push_back({static_cast<std::int64_t>(index), sentences[index].pieces[member], {}});
        if (ensemble_.has_features()) {
            examples.back().features = features_of(sentences[index]);
        }
    }
    const Tokenizer& tokenizer = ensemble_.members()[member].source;
    return to_tensors(make_batch(examples, special_ids(tokenizer, target_)), ensemble_.device()).source;
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

void BatchTranslator::warn() const {
    if (encoder_.cut() > 0) {
        softalign::warn(std::to_string(encoder_.cut()) + " of " + std::to_string(encoder_.sentences()) +
                        " sentences had more than " + std::to_string(options_.search.max_source_length) +
                        " pieces and were cut there; split them, or raise the limit");
    }
    if (faulty_ > 0) {
        softalign::warn(std::to_string(faulty_) + " of " + std::to_string(encoder_.sentences()) +
                        " translations repeated themselves or copied their source; a second search repaired " +
                        std::to_string(repaired_) + " of them");
    }
    if (short_of_memory_ > 0) {
        softalign::warn("memory ran out; " + std::to_string(short_of_memory_) +
                        " batches were translated again one after another or in parts, with the same result; smaller "
                        "batches or fewer workers would be faster");
    }
}

std::vector<std::string> best_texts(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                                    const std::vector<std::string>& sentences, const TranslateOptions& options,
                                    std::shared_ptr<WorkerPool> pool) {
    BatchTranslator translator(model, source, target, options, std::move(pool));
    std::vector<std::string> texts;
    texts.reserve(sentences.size());
    translator.translate(sentences, [&](std::vector<std::vector<Translation>> part) {
        for (std::vector<Translation>& found : part) {
            texts.push_back(std::move(found.front().text));
        }
    });
    translator.warn();
    return texts;
}

}  // namespace softalign

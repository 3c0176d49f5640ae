#include "translate/batch_translator.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "data/corpus.h"
#include "text/words.h"
#include "translate/batching.h"
#include "translate/text_order.h"
#include "translate/unknown_words.h"

namespace softalign {

namespace {

constexpr std::int64_t longest_output = 1000000;

TranslateOptions checked(const TranslateOptions& options, bool has_attention) {
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
    require(!options.replace_unk || has_attention, "unknown pieces can be replaced by a model with attention alone");
    return options;
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

BatchTranslator::BatchTranslator(const Ensemble& ensemble, const TranslateOptions& options)
    : ensemble_(ensemble),
      source_(ensemble_.source()),
      target_(ensemble_.target()),
      options_(checked(options, ensemble_.has_attention())),
      pool_(options_.workers) {}

BatchTranslator::BatchTranslator(const Seq2Seq& model, const Tokenizer& source, const Tokenizer& target,
                                 const TranslateOptions& options)
    : BatchTranslator(Ensemble(model, source, target), options) {}

BatchTranslator::Sentence BatchTranslator::encode(const std::string& text) {
    ++sentences_;
    const bool blank = is_blank(text);
    const auto longest = static_cast<std::size_t>(options_.max_source_length);
    bool cut = false;
    Sentence sentence{&text, {}};
    for (const EnsembleMember& member : ensemble_.members()) {
        sentence.pieces.push_back(blank ? std::vector<std::int32_t>() : member.source.encode(text));
        cut = cut || sentence.pieces.back().size() > longest;
        sentence.pieces.back().resize(std::min(sentence.pieces.back().size(), longest));
    }
    cut_ += cut ? 1 : 0;
    return sentence;
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
        Sentence sentence = encode(sentences[i]);
        if (sentence.pieces.front().empty()) {
            results[i].emplace_back();
            results[i].front().source_ids = {source_.special().eos};
            continue;
        }
        lengths.push_back(longest_of(sentence.pieces) + 1);
        present.push_back(std::move(sentence));
        numbers.push_back(i);
    }
    std::vector<std::vector<Translation>> found(present.size());
    const auto batches = batches_by_length(lengths, limits_of(options_.batch_size));
    pool_.run(static_cast<std::int64_t>(batches.size()), [&](std::int64_t batch, int) {
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
        max_lengths.push_back(max_length(sentences[index].pieces.front().size()));
    }
    std::vector<EnsembleSource> sources;
    for (std::size_t member = 0; member < ensemble_.members().size(); ++member) {
        sources.push_back(source_of(member, batch, sentences));
    }
    const auto stepper = ensemble_.stepper(sources, options_.keep_model_scores);
    std::vector<std::vector<Hypothesis>> found = search(*stepper, max_lengths, search_options());
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

Translation BatchTranslator::finish(Hypothesis hypothesis, const Sentence& sentence) const {
    if (ensemble_.reverse_target()) {
        to_text_order(hypothesis);
    }
    Translation translation;
    translation.text = one_line(text_of(hypothesis, sentence));
    static_cast<Hypothesis&>(translation) = std::move(hypothesis);
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

std::string BatchTranslator::text_of(const Hypothesis& hypothesis, const Sentence& sentence) const {
    const std::vector<std::int32_t>& ids = hypothesis.ids;
    if (options_.replace_unk == nullptr || std::count(ids.begin(), ids.end(), target_.special().unk) == 0) {
        return target_.decode(ids);
    }
    std::vector<std::string> words = source_.words(*sentence.text);
    words.resize(sentence.pieces.front().size());  // a long sentence is cut
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

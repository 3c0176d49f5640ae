#include "translate/sentence_encoder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "search/phrases.h"
#include "text/words.h"

namespace softalign {

namespace {

constexpr std::int64_t longest_output = 1000000;

// A length as a whole number, rounded down.
std::int64_t whole(double length) {
    return static_cast<std::int64_t>(std::min(length, static_cast<double>(longest_output)));
}

// Segmentation may take quadratic time, so the amount of text is checked before.
void check_amount(const TranslationRequest& request, std::int64_t number) {
    const std::string sentence = "sentence " + std::to_string(number + 1);
    if (request.phrases.size() > Phrases::most) {
        throw Error(ExitCode::data,
                    sentence + " has more than " + std::to_string(Phrases::most) + " required phrases; give fewer");
    }
    const std::size_t bytes =
        std::accumulate(request.phrases.begin(), request.phrases.end(), request.prefix.size(),
                        [](std::size_t sum, const std::string& phrase) { return sum + phrase.size(); });
    if (bytes > TranslationRequest::most_constraints) {
        throw Error(ExitCode::data, sentence + ": its prefix and phrases have " + std::to_string(bytes) +
                                        " bytes; give at most " + std::to_string(TranslationRequest::most_constraints) +
                                        " for a sentence");
    }
}

bool has_token(const PrefixGraph& graph, std::int32_t token) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [token](const std::vector<PrefixGraph::Edge>& edges) {
        return std::any_of(edges.begin(), edges.end(), [token](const auto& edge) { return edge.token == token; });
    });
}

}  // namespace

std::int64_t EncodedSentence::longest() const {
    std::size_t longest = 0;
    for (const std::vector<std::int32_t>& of_model : pieces) {
        longest = std::max(longest, of_model.size());
    }
    return static_cast<std::int64_t>(longest);
}

SentenceEncoder::SentenceEncoder(const Ensemble& ensemble, const TranslateOptions& options)
    : ensemble_(ensemble), options_(options) {}

SentenceEncoder::~SentenceEncoder() = default;

EncodedSentence SentenceEncoder::encode(const TranslationRequest& request) {
    EncodedSentence sentence = pieces_of(request.text);
    if (sentence.empty()) {
        return sentence;
    }
    sentence.task = task_of(request, sentence.pieces.front().size(), sentence.number);
    return sentence;
}

EncodedSentence SentenceEncoder::pieces_of(const std::string& text) {
    EncodedSentence sentence;
    sentence.number = sentences_++;
    sentence.text = &text;
    const bool blank = is_blank(text);
    const auto longest = static_cast<std::size_t>(options_.search.max_source_length);
    bool cut = false;
    for (const EnsembleMember& member : ensemble_.members()) {
        const bool with_words = sentence.pieces.empty() && (options_.keep_words || options_.replace_unk != nullptr);
        sentence.pieces.push_back(blank        ? std::vector<std::int32_t>()
                                  : with_words ? encode_with_words(text, sentence.words)
                                               : member.source.encode(text));
        cut = cut || sentence.pieces.back().size() > longest;
        sentence.pieces.back().resize(std::min(sentence.pieces.back().size(), longest));
    }
    cut_ += cut ? 1 : 0;
    return sentence;
}

// All pieces of a text, and the words of those that are read. Segments the text once, since that may take long.
std::vector<std::int32_t> SentenceEncoder::encode_with_words(const std::string& text, SourceWords& words) const {
    std::vector<std::pair<std::string, std::int32_t>> segments = ensemble_.source().segment(text);
    const std::vector<std::int32_t> ids = ids_of(segments);
    segments.resize(std::min(segments.size(), static_cast<std::size_t>(options_.search.max_source_length)));
    words = source_words(text, ensemble_.source(), segments, segments.size() < ids.size());
    return ids;
}

SearchTask SentenceEncoder::task_of(const TranslationRequest& request, std::size_t source_pieces, std::int64_t number) {
    const auto pieces = static_cast<double>(source_pieces);
    SearchTask task;
    task.max_length =
        whole(options_.search.max_length_ratio * pieces + static_cast<double>(options_.search.max_length_offset));
    if (options_.search.max_length > 0) {
        task.max_length = std::min(task.max_length, options_.search.max_length);
    }
    task.min_length = std::min(task.max_length,
                               std::max(options_.search.min_length, whole(options_.search.min_length_ratio * pieces)));
    task.source_length = static_cast<std::int64_t>(source_pieces);
    task.key = static_cast<std::uint64_t>(number);
    if (!request.prefix.empty() || !request.phrases.empty()) {
        constrain(request, number, task);
    }
    return task;
}

void SentenceEncoder::constrain(const TranslationRequest& request, std::int64_t number, SearchTask& task) {
    const bool backwards = ensemble_.reverse_target();
    if (!request.phrases.empty() && (options_.search.sampling || options_.search.groups > 1)) {
        throw Error(ExitCode::configuration, "required phrases cannot be combined with sampling or diverse groups");
    }
    check_amount(request, number);
    if (!constraints_) {
        constraints_ = std::make_unique<TargetConstraints>(ensemble_.target(), options_.search.forbid_unk);
    }
    task.prefix = constraints_->starts_with(request.prefix);
    if (backwards && !task.prefix.nodes.empty()) {
        throw Error(ExitCode::configuration, "a model that writes from right to left cannot take prefixes");
    }
    if (options_.search.forbid_unk && has_token(task.prefix, ensemble_.target().special().unk)) {
        throw Error(ExitCode::data, "sentence " + std::to_string(number + 1) + ": the prefix '" +
                                        beginning_of(request.prefix) +
                                        "' needs the unknown piece, which search.forbid_unk keeps away; shorten the "
                                        "prefix or allow unknown pieces");
    }
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
    const std::vector<std::int64_t> start = task.prefix.shortest(task.phrases.empty());
    const std::int64_t asked = (start.empty() ? 0 : start.front()) + Phrases(task.phrases).tokens();
    task.max_length = std::max(task.max_length, asked);
}

}  // namespace softalign

#include "translate/sentence_encoder.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "data/feature_array.h"
#include "search/phrases.h"
#include "text/placeholder_pieces.h"
#include "text/words.h"

namespace softalign {

namespace {

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

Error in_sentence(std::int64_t number, const Error& error) {
    return {error.code(), "sentence " + std::to_string(number + 1) + ": " + error.what()};
}

// What another program hands over.
Grid checked_grid(const Features& features, const Ensemble& ensemble) {
    constexpr std::int64_t most = FeatureArray::most_positions;
    const std::int64_t depth = ensemble.members().front().model.sizes().source;
    const Grid& grid = features.grid;
    const std::string shape = "its features have the shape " + shape_text({grid.height, grid.width, features.depth});
    if (grid.height < 1 || grid.width < 1 || grid.height > most || grid.width > most / grid.height) {
        throw Error(ExitCode::data, shape + "; height times width must be from 1 to " + std::to_string(most));
    }
    if (features.depth != depth) {
        throw Error(ExitCode::data, shape + ", and the model reads " + std::to_string(depth) +
                                        " values at each position (model.source.size)");
    }
    if (static_cast<std::int64_t>(features.values.size()) != grid.positions() * depth) {
        throw Error(ExitCode::data, shape + ", which takes " + std::to_string(grid.positions() * depth) +
                                        " values, but " + std::to_string(features.values.size()) + " were given");
    }
    const auto wrong = std::find_if_not(features.values.begin(), features.values.end(),
                                        [](float value) { return std::isfinite(value); });
    if (wrong != features.values.end()) {
        throw Error(ExitCode::data, "value " + std::to_string(wrong - features.values.begin()) +
                                        " of its features, counted from 0, is not a finite number");
    }
    return grid;
}

// Whether a word ends between any two of the phrases. A vocabulary that writes no space in front of the first word of a
// text could not write them inside a sentence at all.
bool are_apart(const std::vector<std::vector<std::int32_t>>& phrases, const WordBoundaries& words) {
    return std::all_of(phrases.begin(), phrases.end(), [&](const std::vector<std::int32_t>& first) {
        return std::all_of(phrases.begin(), phrases.end(), [&](const std::vector<std::int32_t>& second) {
            return words.between(first.back(), second.front());
        });
    });
}

bool has_token(const PrefixGraph& graph, std::int32_t token) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [token](const std::vector<PrefixGraph::Edge>& edges) {
        return std::any_of(edges.begin(), edges.end(), [token](const auto& edge) { return edge.token == token; });
    });
}

}  // namespace

std::size_t EncodedSentence::positions(std::size_t member) const {
    return grids.empty() ? pieces[member].size() + 1 : static_cast<std::size_t>(grids[member].positions());
}

std::int64_t EncodedSentence::longest() const {
    std::size_t longest = 0;
    for (std::size_t member = 0; member < pieces.size(); ++member) {
        longest = std::max(longest, positions(member));
    }
    return static_cast<std::int64_t>(longest);
}

SentenceEncoder::SentenceEncoder(const Ensemble& ensemble, const TranslateOptions& options)
    : ensemble_(ensemble), options_(options), placeholders_(placeholder_ids(ensemble.target())) {
    if (options_.whole_words) {
        whole_words_ = *options_.whole_words;
        if (ensemble_.reverse_target()) {
            std::swap(whole_words_->begins, whole_words_->ends);
        }
    }
}

SentenceEncoder::~SentenceEncoder() = default;

EncodedSentence SentenceEncoder::encode(const TranslationRequest& request) {
    EncodedSentence sentence = encode(request, options_.first_sentence + sentences_++);
    cut_ += sentence.cut ? 1 : 0;
    return sentence;
}

EncodedSentence SentenceEncoder::encode(const TranslationRequest& request, std::int64_t number) {
    EncodedSentence sentence;
    sentence.number = number;
    sentence.request = &request;
    if (ensemble_.has_features()) {
        add_grids(sentence);
    } else if (request.features != nullptr) {
        throw Error(ExitCode::data,
                    "sentence " + std::to_string(sentence.number + 1) + " is an array, and the model reads text");
    } else {
        add_pieces(sentence);
    }
    if (!sentence.empty()) {
        const std::size_t end = sentence.grids.empty() ? 1 : 0;
        sentence.task = task_of(request, sentence.positions(0) - end, sentence.number);
    }
    return sentence;
}

void SentenceEncoder::add_grids(EncodedSentence& sentence) const {
    const std::size_t models = ensemble_.members().size();
    sentence.pieces.resize(models);
    if (sentence.request->features == nullptr && is_blank(sentence.text())) {
        return;
    }
    try {
        const Grid grid = sentence.request->features != nullptr ? checked_grid(*sentence.request->features, ensemble_)
                                                                : opened_grid(sentence.text(), ensemble_);
        for (const EnsembleMember& member : ensemble_.members()) {
            sentence.grids.push_back(member.model.annotation_grid(grid));
        }
    } catch (const Error& error) {
        throw in_sentence(sentence.number, error);
    }
}

void SentenceEncoder::add_pieces(EncodedSentence& sentence) const {
    const std::string& text = sentence.text();
    const bool blank = is_blank(text);
    const auto longest = static_cast<std::size_t>(options_.search.max_source_length);
    for (const EnsembleMember& member : ensemble_.members()) {
        const bool with_words = sentence.pieces.empty() && (options_.keep_words || options_.replace_unk != nullptr);
        sentence.pieces.push_back(blank        ? std::vector<std::int32_t>()
                                  : with_words ? encode_with_words(text, sentence.words)
                                               : member.source.encode(text));
        sentence.cut = sentence.cut || sentence.pieces.back().size() > longest;
        sentence.pieces.back().resize(std::min(sentence.pieces.back().size(), longest));
    }
}

Features features_of(const EncodedSentence& sentence) {
    if (sentence.request->features != nullptr) {
        return *sentence.request->features;
    }
    try {
        return FeatureArray(sentence.text()).read();
    } catch (const Error& error) {
        throw in_sentence(sentence.number, error);
    }
}

Grid opened_grid(const std::string& name, const Ensemble& ensemble) {
    try {
        const FeatureArray array(name);
        require_depth(array, ensemble.members().front().model.sizes().source);
        return array.grid();
    } catch (const Error& error) {
        if (name.find(".npy") != std::string::npos) {
            throw;
        }
        throw Error(error.code(),
                    std::string(error.what()) + "; the model reads features, so a sentence is the path of a .npy file");
    }
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
    SearchTask task;
    const auto pieces = static_cast<std::int64_t>(source_pieces);
    task.max_length = longest_output(options_.search, pieces);
    task.min_length = shortest_output(options_.search, pieces);
    task.source_length = pieces;
    task.key = static_cast<std::uint64_t>(number);
    if (!request.prefix.empty() || !request.phrases.empty()) {
        constrain(request, number, task);
    }
    task.forbidden = idle_placeholders(request, task);
    return task;
}

std::vector<std::int32_t> SentenceEncoder::idle_placeholders(const TranslationRequest& request,
                                                             const SearchTask& task) const {
    std::vector<std::int32_t> idle;
    for (std::size_t number = 0; number < placeholders_.size(); ++number) {
        const std::int32_t id = placeholders_[number];
        const bool is_asked = std::any_of(task.phrases.begin(), task.phrases.end(), [id](const auto& phrase) {
            return std::find(phrase.begin(), phrase.end(), id) != phrase.end();
        });
        if (!is_asked && !has_token(task.prefix, id) && request.text.find(placeholder(number)) == std::string::npos) {
            idle.push_back(id);
        }
    }
    return idle;
}

void SentenceEncoder::constrain(const TranslationRequest& request, std::int64_t number, SearchTask& task) {
    const bool backwards = ensemble_.reverse_target();
    if (!request.phrases.empty() && !takes_phrases(options_.search)) {
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
        throw in_sentence(number, error);
    }
    if (whole_words_ && task.prefix.nodes.empty() && are_apart(task.phrases, *whole_words_)) {
        task.whole_words = &*whole_words_;
    }
    const std::vector<std::int64_t> start = task.prefix.shortest(task.phrases.empty());
    const std::int64_t asked = (start.empty() ? 0 : start.front()) + Phrases(task.phrases).tokens();
    task.max_length = std::max(task.max_length, asked);
}

}  // namespace softalign

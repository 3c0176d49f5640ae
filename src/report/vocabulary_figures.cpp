#include "report/run_review.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "html/text.h"
#include "report/run_history.h"
#include "text/piece_words.h"

namespace softalign {

namespace {

constexpr std::size_t shown = 12;        // pieces and words
constexpr std::size_t widest_item = 96;  // columns

ReportVocabulary vocabulary_of(const std::string& name, const Tokenizer& tokenizer) {
    std::vector<std::pair<std::size_t, std::string>> pieces;
    const SpecialIds special = tokenizer.special();
    for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
        if (id != special.pad && id != special.unk && id != special.bos && id != special.eos) {
            std::string piece = tokenizer.piece(id);
            pieces.emplace_back(display_width(piece), std::move(piece));
        }
    }
    const std::size_t count = std::min(shown, pieces.size());
    std::partial_sort(
        pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(count), pieces.end(),
        [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    ReportVocabulary vocabulary;
    vocabulary.name = name;
    vocabulary.figures.push_back({"Pieces", grouped(tokenizer.size()), "special ones included"});
    for (std::size_t i = 0; i < count; ++i) {
        vocabulary.longest_pieces.push_back(shortened(pieces[i].second, widest_item));
    }
    return vocabulary;
}

struct TextCounts {
    std::int64_t words = 0;
    std::int64_t pieces = 0;
    std::int64_t unknown = 0;
    std::set<std::int32_t> used;
    std::map<std::string, std::string> split;  // word -> its pieces
    std::map<std::string, std::size_t> parts;  // word -> how many
};

void count_line(const std::string& line, const Tokenizer& tokenizer, TextCounts& counts) {
    const std::vector<std::pair<std::string, std::int32_t>> segments = tokenizer.segment(line);
    const std::vector<std::int32_t> ids = ids_of(segments);
    const PieceWords found = source_words(line, tokenizer, segments, false).numbered;
    const std::vector<WordRange>& words = found.of_piece;
    counts.words += static_cast<std::int64_t>(found.words.size());
    counts.pieces += static_cast<std::int64_t>(ids.size());
    counts.unknown += std::count(ids.begin(), ids.end(), tokenizer.special().unk);
    counts.used.insert(ids.begin(), ids.end());
    for (std::size_t begin = 0; begin < ids.size();) {
        std::size_t end = begin;
        std::string pieces;
        while (end < ids.size() && words[end].begin == words[begin].begin) {
            pieces += (pieces.empty() ? "" : " ") + tokenizer.piece(ids[end++]);
        }
        if (words[begin].begin < words[begin].end && end - begin > 1) {
            const std::string& word = found.words[words[begin].begin];
            if (counts.split.emplace(word, pieces).second) {
                counts.parts[word] = end - begin;
            }
        }
        begin = end;
    }
}

std::vector<std::string> most_split(const TextCounts& counts) {
    std::vector<std::pair<std::size_t, std::string>> words;
    for (const auto& [word, parts] : counts.parts) {
        words.emplace_back(parts, counts.split.at(word));
    }
    std::stable_sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::string> result;
    for (std::size_t i = 0; i < std::min(shown, words.size()); ++i) {
        result.push_back(shortened(words[i].second, widest_item));
    }
    return result;
}

std::string percentage(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? fmt::format("{:.2f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole)) : "-";
}

}  // namespace

std::vector<ReportVocabulary> vocabularies_of(const Tokenizers& tokenizers) {
    if (tokenizers.source == tokenizers.target) {
        return {vocabulary_of("Vocabulary of both sides", *tokenizers.source)};
    }
    if (tokenizers.source->size() == 0) {  // features have none
        return {vocabulary_of("Target vocabulary", *tokenizers.target)};
    }
    return {vocabulary_of("Source vocabulary", *tokenizers.source),
            vocabulary_of("Target vocabulary", *tokenizers.target)};
}

ReportVocabulary text_figures(const std::string& name, const Tokenizer& tokenizer,
                              const std::vector<std::string>& lines) {
    TextCounts counts;
    for (const std::string& line : lines) {
        count_line(line, tokenizer, counts);
    }
    ReportVocabulary figures;
    figures.name = name;
    figures.figures.push_back({"Lines", grouped(static_cast<std::int64_t>(lines.size())), ""});
    figures.figures.push_back({"Words", grouped(counts.words), "between white space"});
    figures.figures.push_back({"Pieces", grouped(counts.pieces), ""});
    if (counts.words > 0) {
        figures.figures.push_back(
            {"Pieces per word",
             fmt::format("{:.2f}", static_cast<double>(counts.pieces) / static_cast<double>(counts.words)), ""});
    }
    figures.figures.push_back({"Unknown pieces", percentage(counts.unknown, counts.pieces),
                               grouped(counts.unknown) + (counts.unknown == 1 ? " piece" : " pieces")});
    figures.figures.push_back({"Vocabulary in use",
                               percentage(static_cast<std::int64_t>(counts.used.size()), tokenizer.size()),
                               "distinct pieces in this text"});
    figures.most_split = most_split(counts);
    return figures;
}

}  // namespace softalign

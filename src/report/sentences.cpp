#include "report/sentences.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/feature_array.h"
#include "report/run_history.h"
#include "translate/alignment.h"

namespace softalign {

namespace {

constexpr std::uint64_t seed_of_choice = 1;
constexpr std::size_t pieces_a_word = 4;
constexpr std::size_t longest_picture = 100;   // rows or columns; larger ones would be nothing but large
constexpr std::int64_t largest_grid = 4096;    // positions of a map
constexpr std::int64_t largest_image = 40000;  // pixels

// Over words, or over pieces if either side averages four or more pieces per word, as in scripts without spaces, where
// words say little.
AlignmentUnits units_of(const Translation& translation) {
    const auto many = [](const PieceWords& words) {
        return words.words.empty() || words.of_piece.size() >= pieces_a_word * words.words.size();
    };
    return many(translation.source_words) || many(translation.target_words) ? AlignmentUnits::pieces
                                                                            : AlignmentUnits::words;
}

// The picture that the features are, where they may be one and it is small enough to be drawn for each piece.
SourceImage image_of(const std::string& name) {
    try {
        const FeatureArray array(name);
        if ((array.depth() == 1 || array.depth() == 3) && array.grid().height > 1 &&
            array.grid().positions() <= largest_image) {
            Features features = array.read();
            return {features.grid, features.depth, std::move(features.values)};
        }
    } catch (const Error&) {
        // It could be read when it was translated; the map shows the weights alone.
    }
    return {};
}

std::optional<AttentionPicture> maps_of(const Translation& translation, const TokenizerPair& tokenizers) {
    if (translation.grid.positions() > largest_grid || translation.ids.size() >= longest_picture) {
        return std::nullopt;
    }
    AttentionPicture picture;
    picture.target = target_labels(translation, AlignmentUnits::pieces, tokenizers.target);
    picture.weights = alignment_weights(translation, AlignmentUnits::pieces);
    picture.grid = translation.grid;
    picture.image = image_of(translation.source);
    return picture;
}

std::optional<AttentionPicture> picture_of(const Translation& translation, const TokenizerPair& tokenizers) {
    const AlignmentUnits units = units_of(translation);
    AttentionPicture picture{
        source_labels(translation, units, tokenizers.source), target_labels(translation, units, tokenizers.target), {}};
    if (std::max(picture.source.size(), picture.target.size()) > longest_picture) {
        return std::nullopt;
    }
    picture.weights = alignment_weights(translation, units);
    return picture;
}

std::vector<std::string> texts_of(const RunTranslations& run) {
    std::vector<std::string> texts;
    for (const ReviewedTranslation& translation : run.translations) {
        texts.push_back(translation.text);
    }
    return texts;
}

ReportOutput output_of(const RunTranslations& run, std::size_t sentence) {
    const ReviewedTranslation& translation = run.translations[sentence];
    ReportOutput output;
    output.run = run.run;
    output.text = translation.text;
    output.entropy = translation.entropy;
    output.attention = translation.picture;
    return output;
}

using Scores = std::vector<std::vector<double>>;  // of each run, of each sentence; none without references

ReportSentence sentence_of(const ReviewText& text, const std::vector<RunTranslations>& runs, const Scores& scores,
                           std::size_t number) {
    ReportSentence sentence;
    sentence.number = static_cast<std::int64_t>(number) + 1;
    sentence.source = text.sources[number];
    if (!text.references.empty()) {
        sentence.reference = text.references[number];
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        sentence.outputs.push_back(output_of(runs[i], number));
        if (!scores.empty()) {
            sentence.outputs.back().score = scores[i][number];
        }
    }
    return sentence;
}

void add_entropies(ReportRun& run, const std::vector<ReviewedTranslation>& translations) {
    for (const ReviewedTranslation& translation : translations) {
        if (translation.rows > 0) {
            run.entropy.push_back({static_cast<double>(translation.rows), translation.entropy});
        }
    }
}

// A fact for each run, but where all of their validations have said the same already.
void add_facts(Report& report, const std::vector<RunTranslations>& runs, const std::vector<ReportFact>& facts) {
    bool said = true;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::vector<ReportFact>& known = report.runs[runs[i].run].facts;
        said = said && std::any_of(known.begin(), known.end(), [&](const ReportFact& fact) {
                   return fact.value == facts[i].value && fact.note == facts[i].note;
               });
    }
    for (std::size_t i = 0; i < runs.size() && !said; ++i) {
        report.runs[runs[i].run].facts.push_back(facts[i]);
    }
}

// BLEU of each sentence and run; and of the runs, what follows from that.
Scores add_scores(Report& report, const ReviewText& text, const std::vector<RunTranslations>& runs,
                  const BleuOptions& options, std::vector<std::int64_t>& lengths) {
    Scores scores;
    std::vector<ReportFact> scored;
    for (const RunTranslations& run : runs) {
        const std::vector<std::string> outputs = texts_of(run);
        const SentenceScores found = sentence_scores(outputs, text.references, options);
        ReportRun& shown = report.runs[run.run];
        shown.by_length = scores_by_length(outputs, text.references, found.reference_length, options);
        const BleuScore bleu = corpus_bleu(outputs, {text.references}, options);
        scored.push_back({"BLEU of the sentences here", fmt::format("{:.2f}", bleu.score), bleu.signature});
        lengths = found.reference_length;
        scores.push_back(found.bleu);
    }
    add_facts(report, runs, scored);
    return scores;
}

}  // namespace

std::string ReviewText::described() const {
    const std::string first =
        sources.size() < lines ? "The first " + grouped(static_cast<std::int64_t>(sources.size())) + " of " : "";
    return first + grouped(static_cast<std::int64_t>(lines)) + (lines == 1 ? " sentence of " : " sentences of ") + name;
}

ReviewedTranslation::ReviewedTranslation(const Translation& translation, const TokenizerPair& tokenizers)
    : text(translation.text), rows(translation.attention.size()) {
    if (rows > 0) {
        entropy = mean_entropy(translation.attention);
        picture =
            translation.grid.positions() > 0 ? maps_of(translation, tokenizers) : picture_of(translation, tokenizers);
    }
}

std::size_t bytes_of(const AttentionPicture& picture) {
    std::size_t bytes = sizeof(picture) + picture.image.values.capacity() * sizeof(float);
    for (const std::vector<std::string>* labels : {&picture.source, &picture.target}) {
        for (const std::string& label : *labels) {
            bytes += sizeof(label) + label.capacity();
        }
    }
    for (const std::vector<float>& row : picture.weights) {
        bytes += sizeof(row) + row.capacity() * sizeof(float);
    }
    return bytes;
}

void add_sentences(Report& report, const ReviewText& text, const std::vector<RunTranslations>& runs,
                   const BleuOptions& options, std::size_t count) {
    for (const RunTranslations& run : runs) {
        add_entropies(report.runs[run.run], run.translations);
    }
    if (runs.empty() || text.sources.empty()) {
        return;
    }
    const auto group = [&](const std::string& title, const std::string& explanation,
                           const std::vector<std::size_t>& numbers, const Scores& scores) {
        SentenceGroup made{title, explanation, {}};
        for (const std::size_t number : numbers) {
            made.sentences.push_back(sentence_of(text, runs, scores, number));
        }
        if (!made.sentences.empty()) {
            report.groups.push_back(std::move(made));
        }
    };
    if (text.references.empty()) {
        std::vector<std::size_t> first;
        for (std::size_t i = 0; i < std::min(3 * count, text.sources.size()); ++i) {
            first.push_back(i);
        }
        group(first.size() == text.sources.size() ? "All sentences" : "The first sentences",
              "There are no references to compare with.", first, {});
        return;
    }
    std::vector<std::int64_t> lengths;
    const Scores scores = add_scores(report, text, runs, options, lengths);
    const std::size_t some = std::clamp<std::size_t>(text.sources.size() / 3, 1, count);
    const ChosenSentences chosen = choose_sentences(scores, lengths, some, seed_of_choice);
    const std::string by = runs.size() > 1 ? "the mean of the runs' sentence BLEU" : "sentence BLEU";
    group("Where the runs differ most", "By the difference of their sentence BLEU.", chosen.differ, scores);
    group("Worst", "The lowest by " + by + "; ties: longest first.", chosen.worst, scores);
    group("Best", "The highest by " + by + "; ties: longest first.", chosen.best, scores);
    group("Random", "Drawn from the rest, in the order of the text.", chosen.random, scores);
}

}  // namespace softalign

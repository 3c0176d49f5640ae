#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "html/chart.h"
#include "html/sentence_views.h"

namespace softalign {

// The contents of a report as plain values. All text is unescaped; it is escaped when the page is written.

// "Parameters: 15 550 784".
struct ReportFact {
    std::string name;
    std::string value;
    std::string note;  // shown small, below it; may be empty
};

struct TrainingCurves {
    std::vector<Point> train_loss;  // over updates
    std::vector<Point> validation_loss;
    std::vector<Point> bleu;
    std::vector<Point> chrf;
    std::vector<Point> chrf_plus_plus;
    std::vector<Point> ter;
    std::vector<Point> cer;
    std::vector<Point> wer;
    std::vector<Point> learning_rate;
    std::vector<Point> gradient_norm;
    std::vector<Point> tokens_per_second;
};

struct ReportSetting {
    std::string key;  // training.batch_size
    std::string value;
    std::string default_value;
};

// A vocabulary and how it segments the text of one side.
struct ReportVocabulary {
    std::string name;  // "Source"
    std::vector<ReportFact> figures;
    std::vector<std::string> longest_pieces;
    std::vector<std::string> most_split;  // words of the text, their pieces separated by spaces
};

struct LengthScore {
    std::string lengths;  // "11-20"
    std::size_t sentences = 0;
    double bleu = 0.0;
};

struct ReportRun {
    std::string name;
    std::vector<ReportFact> facts;  // at the top; the same names for every run of a comparison
    TrainingCurves curves;
    std::string config;  // text of the file
    std::vector<ReportSetting> settings;
    std::vector<ReportVocabulary> vocabularies;
    std::vector<LengthScore> by_length;  // the same lengths in each run
    std::vector<Point> entropy;          // words of the output, entropy of its alignment in bits
    std::vector<std::string> problems;   // what is missing, and why
};

// A run's translation of a sentence.
struct ReportOutput {
    std::size_t run = 0;
    std::string text;
    std::optional<double> score;  // BLEU of the sentence
    std::optional<AttentionPicture> attention;
    double entropy = 0.0;  // of the attention
};

struct ReportSentence {
    std::int64_t number = 1;  // of its line, from 1
    std::string source;
    std::optional<std::string> reference;
    std::vector<ReportOutput> outputs;
};

struct SentenceGroup {
    std::string title;        // "The worst"
    std::string explanation;  // how they were chosen
    std::vector<ReportSentence> sentences;
};

struct Report {
    std::string title;
    std::string subtitle;
    std::vector<ReportRun> runs;
    std::vector<SentenceGroup> groups;
    std::string sentences_note;  // which text was translated, by what; may be empty
    std::string program;         // "softalign 0.1.0"
};

// The whole HTML file: one page that loads nothing from outside. Parts without content are left out.
std::string report_page(const Report& report);

}  // namespace softalign

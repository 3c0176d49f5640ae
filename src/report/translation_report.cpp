#include "report/translation_report.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "base/version.h"
#include "data/corpus.h"
#include "data/source_lines.h"
#include "html/report.h"
#include "report/run_review.h"
#include "report/sentences.h"

namespace softalign {

namespace {

std::size_t count_lines(const std::string& path, SourceType type) {
    SourceLines reader(path, type);
    for (std::string line; reader.next(line);) {
    }
    return static_cast<std::size_t>(reader.line_number());
}

}  // namespace

TranslationReport::TranslationReport(const std::string& path, const std::string& references, const std::string& text,
                                     SourceType type, std::size_t bytes)
    : file_(path),
      text_name_(text == "-" ? "standard input" : text),
      references_name_(references),
      references_(references.empty() ? std::vector<std::string>() : read_lines(references)),
      most_bytes_(bytes) {
    // A pipe can be read only once.
    if (!references.empty() && std::filesystem::is_regular_file(text)) {
        check_count(count_lines(text, type), true);
    }
}

// all: whether these are all sentences of the text.
void TranslationReport::check_count(std::size_t sentences, bool all) const {
    const std::size_t count = references_.size();
    if (!references_name_.empty() && (sentences > count || (all && sentences < count))) {
        throw Error(ExitCode::data, references_name_ + " has " + counted(count, "line") + ", " + text_name_ + " has " +
                                        (all ? "" : "at least ") + std::to_string(sentences) +
                                        "; the references have to be its translation line by line");
    }
}

void TranslationReport::add(const Translation& translation, const TokenizerPair& tokenizers) {
    check_count(++sentences_, false);
    if (translations_.size() == most_sentences || bytes_ >= most_bytes_) {
        return;
    }
    sources_.push_back(translation.source);
    translations_.emplace_back(translation, tokenizers);
    const ReviewedTranslation& kept = translations_.back();
    bytes_ += sizeof(kept) + kept.text.size() + sources_.back().size() + (kept.picture ? bytes_of(*kept.picture) : 0);
}

void TranslationReport::finish(const std::string& name, const LoadedEnsemble& loaded) {
    check_count(sentences_, true);
    Report report;
    report.title = "Translations by " + name;
    report.program = producer();
    report.runs.push_back(ReportRun{});
    report.runs.front().name = name;
    ReviewText reviewed{text_name_, std::move(sources_), references_, sentences_};
    if (sentences_ == 0) {
        report.runs.front().problems.push_back(text_name_ + " has no sentences, so there are no translations.");
    }
    reviewed.references.resize(references_.empty() ? 0 : translations_.size());
    report.sentences_note = reviewed.described() + ".";
    add_sentences(report, reviewed, {{0, std::move(translations_)}}, bleu_options_of(loaded.config().validation),
                  sentences_of_a_kind);
    file_.write(report_page(report));
    file_.close();
}

}  // namespace softalign

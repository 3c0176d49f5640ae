#include "review/translation_report.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/version.h"
#include "data/corpus.h"
#include "html/report.h"
#include "review/run_review.h"

namespace softalign {

namespace {

constexpr std::size_t sentences_of_a_kind = 10;

}  // namespace

TranslationReport::TranslationReport(const std::string& path, const std::string& references)
    : file_(path),
      references_name_(references),
      references_(references.empty() ? std::vector<std::string>() : read_lines(references)) {}

void TranslationReport::add(const Translation& translation) {
    ++sentences_;
    if (translations_.size() < most_sentences) {
        translations_.push_back(translation);
    }
}

void TranslationReport::finish(const std::string& name, const std::string& text, const LoadedEnsemble& loaded) {
    if (!references_name_.empty() && references_.size() != sentences_) {
        throw Error(ExitCode::data, references_name_ + " has " + std::to_string(references_.size()) + " lines, " +
                                        text + " has " + std::to_string(sentences_) +
                                        "; the references have to be its translation line by line");
    }
    Report report;
    report.title = "Translations by " + name;
    report.program = std::string("softalign ") + version();
    report.runs.push_back(ReportRun{});
    report.runs.front().name = name;
    ReviewText reviewed{text, {}, references_, sentences_};
    if (sentences_ == 0) {
        report.runs.front().problems.push_back(text + " has no sentences, so there are no translations.");
    }
    reviewed.references.resize(references_.empty() ? 0 : translations_.size());
    for (const Translation& translation : translations_) {
        reviewed.sources.push_back(translation.source);
    }
    report.sentences_note = reviewed.described() + ".";
    const LoadedModel& first = loaded.models.front();
    add_sentences(report, reviewed, {{0, std::move(translations_), first.source_tokenizer, first.target_tokenizer}},
                  bleu_options_of(first.config.validation), sentences_of_a_kind);
    const std::string page = report_page(report);
    file_.write(page.data(), page.size());
    file_.commit();
}

}  // namespace softalign

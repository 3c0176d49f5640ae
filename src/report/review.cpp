#include "report/run_review.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/version.h"
#include "report/sentences.h"

namespace softalign {

namespace {

// Directories of the same name are told apart by a number.
void make_names_differ(std::vector<RunReview>& reviews) {
    for (std::size_t i = 0; i < reviews.size(); ++i) {
        const std::string name = reviews[i].run.name;
        std::size_t number = 1;
        for (std::size_t j = i + 1; j < reviews.size(); ++j) {
            if (reviews[j].run.name == name) {
                reviews[j].run.name += fmt::format(" ({})", ++number);
            }
        }
    }
}

std::string title_of(const std::vector<RunReview>& reviews) {
    return reviews.size() == 1 ? reviews.front().run.name : fmt::format("{} runs compared", reviews.size());
}

bool same_text(const ReviewText& a, const ReviewText& b) {
    return a.sources == b.sources && a.references == b.references;
}

std::string note_of(const ReviewText& text, const std::vector<std::int64_t>& beams) {
    const bool same = std::equal(beams.begin() + 1, beams.end(), beams.begin());
    return fmt::format("{}, translated by the best model of {} with {}.", text.described(),
                       beams.size() > 1 ? "each run" : "the run",
                       same ? fmt::format("beam {}", beams.front()) : std::string("the search of its configuration"));
}

void add_translations(Report& report, std::vector<RunReview>& reviews) {
    const auto first = std::find_if(reviews.begin(), reviews.end(),
                                    [](const RunReview& review) { return review.translations.has_value(); });
    if (first == reviews.end()) {
        return;
    }
    std::vector<RunTranslations> together;
    std::vector<std::int64_t> beams;
    for (std::size_t i = 0; i < reviews.size(); ++i) {
        RunReview& review = reviews[i];
        if (!review.translations) {
            continue;
        }
        if (!same_text(review.text, first->text)) {
            report.runs[i].problems.push_back("Its validation text is not that of " + first->run.name +
                                              ", so its sentences are not shown; --source and --references give one "
                                              "text to all runs.");
            continue;
        }
        review.translations->run = i;
        beams.push_back(review.config->search.beam);
        together.push_back(std::move(*review.translations));
    }
    report.sentences_note = note_of(first->text, beams);
    add_sentences(report, first->text, together, bleu_options_of(first->config->validation), sentences_of_a_kind);
}

}  // namespace

Report review_runs(const std::vector<std::string>& directories, const ReviewOptions& options) {
    ReviewOptions of_one = options;
    of_one.picture_bytes /= std::max<std::size_t>(directories.size(), 1);
    std::vector<RunReview> reviews;
    for (const std::string& directory : directories) {
        reviews.push_back(review_run(directory, of_one));
    }
    make_names_differ(reviews);
    Report report;
    report.title = title_of(reviews);
    report.program = producer();
    for (RunReview& review : reviews) {
        report.runs.push_back(review.run);
    }
    add_translations(report, reviews);
    return report;
}

void write_report(const Report& report, const std::string& path, AtomicFile::Link link) {
    write_file_atomically(path, report_page(report), link);
}

}  // namespace softalign

// Writes reports for scripts/test_report.sh and scripts/validate_report.sh, with text that tries to become markup,
// other directions and writings, words and sentences that are too long, and curves with gaps: DIR/single.html and
// DIR/comparison.html of runs, DIR/translation.html and DIR/plain.html of translations with and without references, and
// DIR/problem.html and DIR/nothing.html without any content.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "html/report.h"

namespace softalign {
namespace {

const std::vector<std::string>& evil_texts() {
    static const std::vector<std::string> all = {
        "<script>window.hacked=1</script>",
        "</script><script>window.hacked=2</script>",
        "<img src=x onerror=window.hacked=3>",
        "\" onmouseover=\"window.hacked=4\" x=\"",
        "' onfocus='window.hacked=5' autofocus='",
        "</style></title></textarea><svg onload=window.hacked=6>",
        "--><iframe srcdoc=\"<script>parent.hacked=7</script>\">",
        "<a href=\"javascript:window.hacked=8\">click</a>",
        "\u202Eneddih si txet siht\u202C \u2066and this\u2069",
        "<link rel=stylesheet href=https://example.org/a.css><base href=https://example.org/>",
    };
    return all;
}

std::string repeated(const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) {
        result += text;
    }
    return result;
}

// Words cut at spaces, and a diagonal of attention.
AttentionPicture picture_of(const std::string& source, const std::string& target) {
    const auto words = [](const std::string& text) {
        std::vector<std::string> list;
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = std::min(text.find(' ', begin), text.size());
            list.push_back(text.substr(begin, end - begin));
            begin = end + 1;
        }
        list.emplace_back("</s>");
        return list;
    };
    AttentionPicture picture{words(source), words(target), {}};
    for (std::size_t row = 0; row < picture.target.size(); ++row) {
        std::vector<float>& weights = picture.weights.emplace_back(picture.source.size(), 0.02F);
        weights[row * picture.source.size() / picture.target.size()] = 0.7F;
    }
    return picture;
}

struct Texts {
    std::string source;
    std::string reference;
    std::string output;
};

std::vector<Texts> sentences() {
    std::vector<Texts> all = {
        {"a man in a blue shirt is standing on a ladder cleaning a window .",
         "ein mann in einem blauen hemd steht auf einer leiter und putzt ein fenster .",
         "ein mann in blauem hemd steht auf einer leiter und reinigt ein fenster ."},
        {"رجلان يقفان أمام البيت الكبير .", "שני גברים עומדים ליד הבית .", "שני אנשים עומדים מול הבית ."},
        {"二人の男性が調理台の前に立っている 。", "两名男子站在炉灶旁 做饭 。", "两个男人站在炉灶前 准备食物 。"},
        {"Donaudampfschifffahrtsgesellschaftskapitän https://example.org/" + repeated("segment/", 12) + " is long",
         repeated("unbroken", 40), "short"},
        {"", "an empty source", ""},
        {repeated("the dog sees the small cat and ", 9) + "sleeps", repeated("der hund sieht die kleine katze und ", 9),
         repeated("der hund sieht eine kleine katze und ", 9)},
    };
    for (const std::string& evil : evil_texts()) {
        all.push_back({evil, evil + " reference", evil + " output"});
    }
    return all;
}

ReportRun run_of(const std::string& name, double shift) {
    ReportRun run;
    run.name = name;
    run.facts = {{"Validation BLEU", "35.86", "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"},
                 {"Validation loss", "1.9705", "perplexity 7.17"},
                 {"Parameters", "15 550 784", evil_texts()[0]}};
    for (int i = 1; i <= 400; ++i) {
        const double x = 50.0 * i;
        const double gap = i % 97 == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
        run.curves.train_loss.push_back({x, 2.0 + shift + 6.0 / std::sqrt(i) + gap});
        run.curves.learning_rate.push_back({x, 0.002 / std::sqrt(i)});
        run.curves.gradient_norm.push_back({x, 1.0 + 0.3 * std::sin(i)});
        run.curves.tokens_per_second.push_back({x, 4500.0});
        if (i % 50 == 0) {
            run.curves.validation_loss.push_back({x, 2.3 + shift + 5.0 / std::sqrt(i)});
            run.curves.bleu.push_back({x, 36.0 - shift - 100.0 / i});
        }
    }
    run.config = "training:\n  seed: 1  # " + evil_texts()[1] + "\n" + repeated("long_line_", 40) + "\n";
    run.settings = {{"training.seed", shift == 0.0 ? "1" : "2", "1"}, {"data.train_source", evil_texts()[2], "[]"}};
    run.vocabularies = {{"Vocabulary of both sides", {{"Pieces", "8000", ""}}, evil_texts(), evil_texts()}};
    run.by_length = {{"1-5", 30, 40.0 - shift}, {"6-10", 300, 36.0}, {"11-15", 400, 35.0}, {">50", 1, 12.5 + shift}};
    for (int i = 5; i < 60; ++i) {
        run.entropy.push_back({static_cast<double>(i), 1.0 + shift + 0.5 * std::cos(i)});
    }
    run.problems = {"metrics.jsonl: the last line (" + evil_texts()[2] + ") is incomplete"};
    return run;
}

Report report_of(const std::vector<std::string>& names) {
    Report report;
    report.title = names.front();
    report.subtitle = evil_texts()[0];
    report.program = "softalign";
    SentenceGroup group{"Worst", "The lowest by sentence BLEU; ties: longest first.", {}};
    std::int64_t number = 0;
    for (const Texts& texts : sentences()) {
        ReportSentence sentence{++number, texts.source, texts.reference, {}};
        for (std::size_t run = 0; run < names.size(); ++run) {
            sentence.outputs.push_back({run, texts.output, 35.5, picture_of(texts.source, texts.output), 1.25});
        }
        group.sentences.push_back(sentence);
    }
    for (std::size_t run = 0; run < names.size(); ++run) {
        report.runs.push_back(run_of(names[run], 0.4 * static_cast<double>(run)));
    }
    report.groups = {group};
    report.sentences_note = "The sentences of the test.";
    return report;
}

Report translation_of(bool with_references) {
    Report report = report_of({"model"});
    report.runs = {ReportRun{}};
    report.runs.front().name = "model";
    for (ReportSentence& sentence : report.groups.front().sentences) {
        if (!with_references) {
            sentence.reference = std::nullopt;
            sentence.outputs.front().score = std::nullopt;
        }
    }
    return report;
}

Report without_content(const std::vector<std::string>& problems) {
    Report report;
    report.title = "Translations by model";
    report.program = "softalign";
    report.runs = {ReportRun{}};
    report.runs.front().problems = problems;
    return report;
}

void write(const std::string& path, const Report& report) {
    std::ofstream(path, std::ios::binary) << report_page(report);
}

}  // namespace
}  // namespace softalign

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: make_report_page DIR\n";
        return 2;
    }
    const std::string directory = argv[1];
    softalign::write(directory + "/single.html", softalign::report_of({"<img src=x onerror=window.hacked=9> run"}));
    softalign::write(
        directory + "/comparison.html",
        softalign::report_of({"first <script>window.hacked=10</script>",
                              "a second run with a name that is a good deal longer than others", "third"}));
    softalign::write(directory + "/translation.html", softalign::translation_of(true));
    softalign::write(directory + "/plain.html", softalign::translation_of(false));
    softalign::write(directory + "/problem.html",
                     softalign::without_content({"standard input has no sentences, so there are no translations."}));
    softalign::write(directory + "/nothing.html", softalign::without_content({}));
    return 0;
}

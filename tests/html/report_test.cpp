#include "html/report.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "base/has.h"
#include "html/page_structure.h"

namespace softalign {
namespace {

ReportSentence sentence_of(const std::vector<std::string>& outputs, const std::string& text) {
    ReportSentence sentence;
    sentence.number = 12;
    sentence.source = text;
    sentence.reference = text + " ref";
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        sentence.outputs.push_back({i, outputs[i], 35.5, AttentionPicture{{text}, {outputs[i]}, {{1}}}, 0.5});
    }
    return sentence;
}

ReportRun run_of(const std::string& text) {
    ReportRun run;
    run.name = text;
    run.facts = {{"BLEU", "35.9", text}, {text, text, ""}};
    run.curves.train_loss = {{1, 5}, {2, 4}};
    run.curves.bleu = {{2, 30}};
    run.config = "training:\n  seed: 1  # " + text;
    run.settings = {{"training.seed", "2", "1"}, {"data.train_source", text, "[]"}, {"search.beam", "5", "5"}};
    run.vocabularies = {{text, {{"Pieces", "8000", text}}, {text}, {text}}};
    run.by_length = {{"1-5", 3, 20}, {"6-10", 7, 30}};
    run.entropy = {{5, 1.5}};
    run.problems = {text};
    return run;
}

Report report_of(const std::vector<std::string>& runs, const std::string& text) {
    Report report;
    report.title = report.subtitle = report.sentences_note = report.program = text;
    std::vector<std::string> outputs;
    for (const std::string& name : runs) {
        report.runs.push_back(run_of(name));
        outputs.push_back(name + " output");
    }
    report.groups = {{text, text, {sentence_of(outputs, text)}}};
    return report;
}

// The elements of a page, without their attributes, and the names of their attributes.
std::vector<std::string> scripts_and_handlers(const std::string& page) {
    std::vector<std::string> found;
    const std::regex tag("<([a-zA-Z]+)((?:\\s+[a-zA-Z-]+(?:=\"[^\"]*\")?)*)\\s*/?>");
    const std::regex handler("\\son[a-z]+=");
    const std::string body = page.substr(page.find("<body>"), page.rfind("<script>") - page.find("<body>"));
    for (std::sregex_iterator at(body.begin(), body.end(), tag), end; at != end; ++at) {
        const std::string name = (*at)[1];
        const std::string attributes = (*at)[2];
        const std::string names = std::regex_replace(attributes, std::regex("\"[^\"]*\""), "");
        const bool data = name == "script" && has(attributes, "type=\"application/json\"");
        if ((name == "script" && !data) || name == "img" || name == "iframe" || std::regex_search(names, handler)) {
            found.push_back(at->str());
        }
    }
    return found;
}

TEST(Report, HasAllItsParts) {
    const std::string page = report_page(report_of({"first"}, "words"));
    for (const char* id : {"summary", "training", "lengths", "sentences", "vocabulary", "configuration"}) {
        EXPECT_TRUE(has(page, "<section id=\"" + std::string(id) + "\"")) << id;
    }
    EXPECT_TRUE(has(page, "Alignment entropy"));
    EXPECT_TRUE(has(page, "<h4>Sentence 12</h4>"));
    EXPECT_TRUE(has(page, "BLEU 35.5"));
    EXPECT_TRUE(has(page, "<ins>first output</ins>"));
    EXPECT_TRUE(has(page, "<del>words ref</del>"));
    EXPECT_TRUE(has(page, "What is missing here"));
}

TEST(Report, PartsWithoutContentAreLeftOut) {
    Report report;
    report.title = "empty";
    report.runs = {ReportRun{}};
    const std::string page = report_page(report);
    EXPECT_FALSE(has(page, "<section"));
    EXPECT_FALSE(has(page, "href=\"#training\""));
    EXPECT_FALSE(has(page, "What is missing"));
    EXPECT_FALSE(has(page, "<nav"));
    EXPECT_TRUE(has(page, "There is nothing to show."));
    report.runs.front().problems = {"the input is empty"};
    const std::string explained = report_page(report);
    EXPECT_TRUE(has(explained, "<li>the input is empty</li>"));
    EXPECT_FALSE(has(explained, "There is nothing to show."));
}

TEST(Report, ElementsAreWhereHtmlAllowsThem) {
    Report plain = report_of({"first"}, "words");
    plain.groups[0].sentences[0].reference = std::nullopt;
    Report empty;
    empty.runs = {ReportRun{}};
    for (const Report& report :
         {report_of({"first"}, "words"), report_of({"first", "second"}, "words"), plain, empty}) {
        EXPECT_EQ(structure_faults(report_page(report)), std::vector<std::string>{});
    }
}

TEST(Report, TheCheckOfElementsSeesFaults) {
    const auto body = [](const std::string& html) {
        return structure_faults("<html><body><h1>a</h1>" + html + "</body></html>");
    };
    EXPECT_EQ(body("<dl><div><dt>a</dt><dd>b</dd></div></dl>"), std::vector<std::string>{});
    EXPECT_EQ(body("<dl><div><div><dt>a</dt></div></div></dl>").size(), 2U);
    EXPECT_EQ(body("<h2>a</h2><h4>b</h4>"), std::vector<std::string>{"h4 after h2"});
    EXPECT_EQ(body("<p>a<b></p></b>").size(), 2U);
    EXPECT_EQ(body("<p>a"), (std::vector<std::string>{"</body> in p", "</html> in body", "html is not closed"}));
    EXPECT_EQ(body("<p id=\"a\"></p><p id=\"a\"></p>"), std::vector<std::string>{"two have the id a"});
    EXPECT_EQ(body("<ul><p></p></ul>"), std::vector<std::string>{"p in ul"});
}

TEST(Report, SettingsAreThoseThatAreNotDefaults) {
    const std::string page = report_page(report_of({"first"}, "words"));
    EXPECT_TRUE(has(page, "<th scope=\"row\">training.seed</th><td><bdi>2</bdi></td><td><bdi>1</bdi></td>"));
    EXPECT_FALSE(has(page, "<th scope=\"row\">search.beam</th>"));
}

TEST(Report, SeveralRunsAreSideBySide) {
    const std::string page = report_page(report_of({"first", "second"}, "words"));
    EXPECT_TRUE(has(page, "<table class=\"runs\">"));
    EXPECT_TRUE(has(page, "first, training"));
    EXPECT_TRUE(has(page, "second, training"));
    EXPECT_TRUE(
        has(page, "<th scope=\"row\">data.train_source</th><td><bdi>first</bdi></td><td><bdi>second</bdi></td>"));
    EXPECT_FALSE(has(page, "<th scope=\"row\">training.seed</th>"));  // the same in both
    EXPECT_TRUE(has(page, "<b><bdi>second</bdi></b>: second"));
}

TEST(Report, MarkupInAnyTextIsInert) {
    for (const std::string evil :
         {"<script>alert(1)</script>", "</script><script>alert(1)</script>", "</style><img src=x onerror=alert(1)>",
          "\" onmouseover=\"alert(1)", "' onfocus='alert(1)' autofocus='", "--><iframe src=\"javascript:alert(1)\">",
          "</title></textarea><svg onload=alert(1)>", "]]><script>alert(1)</script>"}) {
        for (const std::vector<std::string>& runs : std::vector<std::vector<std::string>>{{evil}, {evil, evil}}) {
            const std::string page = report_page(report_of(runs, evil));
            EXPECT_EQ(scripts_and_handlers(page), std::vector<std::string>{}) << evil;
            if (has(evil, "<")) {
                EXPECT_FALSE(has(page, evil)) << evil;
            }
        }
    }
}

TEST(Report, EmptyTextsAreSaid) {
    Report report = report_of({"first"}, "words");
    report.groups[0].sentences[0].outputs[0].text = "";
    report.groups[0].sentences[0].source = "";
    const std::string page = report_page(report);
    EXPECT_TRUE(has(page, "<dt>Source</dt><dd dir=\"auto\"><i>(empty)</i></dd>"));
}

}  // namespace
}  // namespace softalign

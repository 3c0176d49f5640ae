#include "html/report.h"

#include <string>
#include <utility>
#include <vector>

#include "html/page.h"
#include "html/text.h"

namespace softalign {

namespace {

std::string navigation(const std::vector<std::pair<std::string, std::string>>& entries) {
    if (entries.empty()) {
        return "";
    }
    std::string html = "<nav aria-label=\"Parts of the report\"><ul>";
    for (const auto& [id, title] : entries) {
        html += "<li><a href=\"#" + id + "\">" + title + "</a></li>";
    }
    return html + "</ul></nav>\n";
}

std::string problems_of(const Report& report) {
    std::string items;
    for (const ReportRun& run : report.runs) {
        for (const std::string& problem : run.problems) {
            const std::string name = report.runs.size() > 1 ? "<b><bdi>" + html_text(run.name) + "</bdi></b>: " : "";
            items += "<li>" + name + html_text(problem) + "</li>\n";
        }
    }
    return items.empty() ? ""
                         : "<aside class=\"problems\"><h2>What is missing here</h2><ul>\n" + items + "</ul></aside>\n";
}

}  // namespace

std::string section(const std::string& id, const std::string& title, const std::string& content) {
    return content.empty() ? "" : "<section id=\"" + id + "\">\n<h2>" + title + "</h2>\n" + content + "</section>\n";
}

std::string report_page(const Report& report) {
    struct Part {
        const char* id;
        const char* title;
        std::string (*write)(const Report&);
    };
    constexpr Part parts[] = {{"training", "Training", &training_section},
                              {"lengths", "Length", &length_section},
                              {"sentences", "Sentences", &sentences_section},
                              {"vocabulary", "Vocabulary", &vocabulary_section},
                              {"configuration", "Configuration", &config_section}};
    std::vector<std::pair<std::string, std::string>> entries;
    std::string sections;
    for (const Part& part : parts) {
        const std::string html = part.write(report);
        if (!html.empty()) {
            entries.emplace_back(part.id, part.title);
            sections += html;
        }
    }
    std::string body =
        "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header>\n<div class=\"bar\"><p "
        "class=\"kind\">softalign report</p><button type=\"button\" id=\"theme\" hidden>Dark</button></div>\n";
    body += "<h1><bdi>" + html_text(report.title) + "</bdi></h1>\n";
    body += report.subtitle.empty() ? "" : "<p class=\"subtitle\"><bdi>" + html_text(report.subtitle) + "</bdi></p>\n";
    std::string content = head_section(report) + problems_of(report) + sections;
    if (content.empty()) {
        content = "<p class=\"empty\">There is nothing to show.</p>\n";
    }
    body += "</header>\n" + navigation(entries) + "<main id=\"content\">\n" + content + "</main>\n";
    body += "<footer><p>Written by " + html_text(report.program) + ".</p></footer>\n";
    return html_page(report.title, body);
}

}  // namespace softalign

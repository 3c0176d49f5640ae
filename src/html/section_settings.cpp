// The vocabularies and the configurations.
#include <algorithm>
#include <string>
#include <vector>

#include "html/page.h"
#include "html/text.h"

namespace softalign {

namespace {

std::string bdi(const std::string& text) {
    return "<bdi>" + html_text(text) + "</bdi>";
}

// `level`: 1 to 6.
std::string heading(int level, const std::string& html) {
    const std::string name = "h" + std::to_string(level);
    return "<" + name + ">" + html + "</" + name + ">";
}

std::string list_of(const std::string& title, const std::vector<std::string>& items, int level) {
    if (items.empty()) {
        return "";
    }
    std::string html = heading(level, title) + "<ul class=\"pieces\">";
    for (const std::string& item : items) {
        html += "<li dir=\"auto\">" + html_text(item) + "</li>";
    }
    return html + "</ul>\n";
}

// `level`: of its heading.
std::string vocabulary_html(const ReportVocabulary& vocabulary, int level) {
    std::string html = "<div class=\"vocabulary\">" + heading(level, html_text(vocabulary.name)) + "\n<table><tbody>\n";
    for (const ReportFact& figure : vocabulary.figures) {
        html += "<tr><th scope=\"row\">" + html_text(figure.name) +
                (figure.note.empty() ? "" : "<small>" + html_text(figure.note) + "</small>") + "</th><td>" +
                html_text(figure.value) + "</td></tr>\n";
    }
    return html + "</tbody></table>\n" + list_of("Longest pieces", vocabulary.longest_pieces, level + 1) +
           list_of("Words split into the most pieces", vocabulary.most_split, level + 1) + "</div>\n";
}

std::string scrolling(const std::string& label, const std::string& table) {
    return "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + label + "\">" + table + "</div>\n";
}

std::string changed_settings(const ReportRun& run) {
    std::string rows;
    for (const ReportSetting& setting : run.settings) {
        if (setting.value != setting.default_value) {
            rows += "<tr><th scope=\"row\">" + html_text(setting.key) + "</th><td>" + bdi(setting.value) + "</td><td>" +
                    bdi(setting.default_value) + "</td></tr>\n";
        }
    }
    if (rows.empty()) {
        return "";
    }
    return scrolling("Keys that differ from the defaults",
                     "<table class=\"settings\"><thead><tr><th scope=\"col\">Key</th><th scope=\"col\">Here</th><th "
                     "scope=\"col\">Default</th></tr></thead><tbody>\n" +
                         rows + "</tbody></table>");
}

std::string value_of(const ReportRun& run, const std::string& key) {
    const auto found = std::find_if(run.settings.begin(), run.settings.end(),
                                    [&](const ReportSetting& setting) { return setting.key == key; });
    return found == run.settings.end() ? "" : found->value;
}

std::string differences(const Report& report) {
    std::string rows;
    for (const ReportSetting& setting : report.runs.front().settings) {
        std::string cells;
        bool differs = false;
        for (const ReportRun& run : report.runs) {
            const std::string value = value_of(run, setting.key);
            differs = differs || value != setting.value;
            cells += "<td>" + bdi(value) + "</td>";
        }
        if (differs) {
            rows += "<tr><th scope=\"row\">" + html_text(setting.key) + "</th>" + cells + "</tr>\n";
        }
    }
    if (rows.empty()) {
        return "<p>The configurations are the same.</p>\n";
    }
    std::string head;
    for (const ReportRun& run : report.runs) {
        head += "<th scope=\"col\">" + bdi(run.name) + "</th>";
    }
    return "<h3>Where they differ</h3>\n" +
           scrolling("Keys that differ", "<table class=\"settings\"><thead><tr><th scope=\"col\">Key</th>" + head +
                                             "</tr></thead><tbody>\n" + rows + "</tbody></table>");
}

}  // namespace

std::string vocabulary_section(const Report& report) {
    std::string html;
    for (const ReportRun& run : report.runs) {
        if (run.vocabularies.empty()) {
            continue;
        }
        const bool several = report.runs.size() > 1;
        html += several ? heading(3, bdi(run.name)) + "\n" : "";
        html += "<div class=\"vocabularies\">\n";
        for (const ReportVocabulary& vocabulary : run.vocabularies) {
            html += vocabulary_html(vocabulary, several ? 4 : 3);
        }
        html += "</div>\n";
    }
    return section("vocabulary", "Vocabulary", html);
}

std::string config_section(const Report& report) {
    std::string html;
    const auto with_settings = std::count_if(report.runs.begin(), report.runs.end(),
                                             [](const ReportRun& run) { return !run.settings.empty(); });
    if (report.runs.size() > 1 && with_settings > 1) {
        html += differences(report);
    } else if (report.runs.size() == 1) {
        html += changed_settings(report.runs.front());
    }
    for (const ReportRun& run : report.runs) {
        if (!run.config.empty()) {
            html += "<details class=\"file\"><summary>config.yaml" +
                    (report.runs.size() > 1 ? " of " + bdi(run.name) : std::string()) +
                    "</summary><pre tabindex=\"0\">" + html_text(run.config) + "</pre></details>\n";
        }
    }
    return section("configuration", "Configuration", html);
}

}  // namespace softalign

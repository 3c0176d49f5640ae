// Translations side by side with their references, and the attention behind them.
#include <spdlog/fmt/fmt.h>

#include <cstddef>
#include <string>
#include <vector>

#include "html/page.h"
#include "html/sentence_views.h"
#include "html/text.h"

namespace softalign {

namespace {

// The direction of a line follows its first letter.
std::string line(const std::string& what, const std::string& html) {
    return "<div class=\"line\"><dt>" + what + "</dt><dd dir=\"auto\">" + html + "</dd></div>\n";
}

std::string marked(const std::vector<DiffSpan>& spans, const char* element) {
    std::string html;
    for (const DiffSpan& span : spans) {
        const std::string text = html_text(span.text);
        html += span.shared ? text : "<" + std::string(element) + ">" + text + "</" + element + ">";
    }
    return html;
}

std::string or_empty(const std::string& html) {
    return html.empty() ? "<i>(empty)</i>" : html;
}

std::string output_name(const Report& report, const ReportOutput& output) {
    std::string html = report.runs.size() > 1 ? "<bdi>" + html_text(report.runs[output.run].name) + "</bdi>"
                                              : std::string("Translation");
    if (output.score) {
        html += fmt::format(" <span class=\"score\">BLEU {:.1f}</span>", *output.score);
    }
    return html;
}

std::string attention_html(const AttentionPicture& picture, const std::string& name) {
    return picture.grid.positions() > 0 ? grid_maps_html(picture, name) : heat_map_html(picture, name);
}

std::string attention(const Report& report, const ReportSentence& sentence, bool open) {
    std::string pictures;
    double entropy = 0.0;
    for (const ReportOutput& output : sentence.outputs) {
        if (!output.attention) {
            continue;
        }
        entropy = output.entropy;
        std::string name = fmt::format("Attention, sentence {}", sentence.number);
        std::string which;
        if (report.runs.size() > 1) {
            const std::string& run = report.runs[output.run].name;
            name += ", " + run;
            which = "<p class=\"which\"><bdi>" + html_text(run) + "</bdi>" +
                    fmt::format(", entropy {:.2f} bits</p>\n", output.entropy);
        }
        pictures += "<div>" + which + attention_html(*output.attention, name) + "</div>\n";
    }
    if (pictures.empty()) {
        return "";
    }
    const std::string note =
        report.runs.size() > 1 ? "" : fmt::format(" <span class=\"score\">entropy {:.2f} bits</span>", entropy);
    return std::string("<details") + (open ? " open" : "") + "><summary>Attention" + note +
           "</summary>\n<div class=\"pictures\">" + pictures + "</div></details>\n";
}

std::string texts(const Report& report, const ReportSentence& sentence) {
    const std::string source = line("Source", or_empty(html_text(sentence.source)));
    if (sentence.outputs.size() == 1 && sentence.reference) {
        const ReportOutput& output = sentence.outputs.front();
        const WordDiff diff = compare_words(output.text, *sentence.reference);
        return "<dl class=\"pair\">\n" + source +
               line(output_name(report, output), or_empty(marked(diff.left, "ins"))) +
               line("Reference", or_empty(marked(diff.right, "del"))) + "</dl>\n";
    }
    std::string html = "<dl>\n" + source;
    if (sentence.reference) {
        html += line("Reference", or_empty(html_text(*sentence.reference)));
    }
    for (const ReportOutput& output : sentence.outputs) {
        const std::string text = sentence.reference
                                     ? marked(compare_words(output.text, *sentence.reference).left, "ins")
                                     : html_text(output.text);
        html += line(output_name(report, output), or_empty(text));
    }
    return html + "</dl>\n";
}

std::string sentence_html(const Report& report, const ReportSentence& sentence, bool open) {
    return fmt::format("<article class=\"sentence\">\n<h4>Sentence {}</h4>\n", sentence.number) +
           texts(report, sentence) + attention(report, sentence, open) + "</article>\n";
}

bool has_reference(const SentenceGroup& group) {
    return !group.sentences.empty() && group.sentences.front().reference.has_value();
}

// The first that is there; null without any.
const AttentionPicture* some_attention(const SentenceGroup& group) {
    for (const ReportSentence& sentence : group.sentences) {
        for (const ReportOutput& output : sentence.outputs) {
            if (output.attention) {
                return &*output.attention;
            }
        }
    }
    return nullptr;
}

std::string legend(const Report& report) {
    std::string html = report.sentences_note.empty() ? "" : "<p>" + html_text(report.sentences_note) + "</p>\n";
    if (has_reference(report.groups.front())) {
        html += report.runs.size() > 1
                    ? "<p class=\"key\"><ins>Underlined</ins>: words that the reference does not have there.</p>\n"
                    : "<p class=\"key\"><ins>Underlined</ins>: words of the translation that the reference does not "
                      "have there. <del>Dotted</del>: words of the reference that the translation lacks.</p>\n";
    }
    const AttentionPicture* const shown = some_attention(report.groups.front());
    if (shown != nullptr && shown->grid.positions() > 0) {
        html +=
            "<p class=\"key\">Attention: for each piece of the translation a map of where the model looked when it "
            "wrote "
            "that piece. In each map, the place with the most weight is the strongest in colour.</p>\n";
    } else if (shown != nullptr) {
        html +=
            "<p class=\"key\">Attention: the source above, the translation at the left; each row shows where the model "
            "attended when it wrote that word. <svg class=\"scale\" viewBox=\"0 0 80 12\" role=\"img\" "
            "aria-label=\"black is 0, white is 1\">";
        for (int i = 0; i < 8; ++i) {
            html += fmt::format("<rect x=\"{}\" width=\"10\" height=\"12\" fill=\"#{:02x}{:02x}{:02x}\"/>", i * 10,
                                i * 255 / 7, i * 255 / 7, i * 255 / 7);
        }
        html += "<rect class=\"frame\" x=\"0.5\" y=\"0.5\" width=\"79\" height=\"11\"/></svg> 0 to 1</p>\n";
    }
    return html;
}

}  // namespace

std::string sentences_section(const Report& report) {
    std::string html;
    bool first = true;
    for (const SentenceGroup& group : report.groups) {
        if (group.sentences.empty()) {
            continue;
        }
        html += first ? legend(report) : "";
        html += "<div class=\"group\"><h3>" + html_text(group.title) + "</h3>\n<p>" + html_text(group.explanation) +
                "</p>\n";
        for (std::size_t i = 0; i < group.sentences.size(); ++i) {
            html += sentence_html(report, group.sentences[i], i == 0);
        }
        html += "</div>\n";
        first = false;
    }
    return section("sentences", "Sentences", html);
}

}  // namespace softalign

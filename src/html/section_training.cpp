// The head of a report, the curves of training, and what depends on the length of sentences.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "html/chart.h"
#include "html/page.h"
#include "html/text.h"

namespace softalign {

namespace {

using CurveOf = std::vector<Point> TrainingCurves::*;

// A signature of a score may be broken behind its bars.
std::string value_with_note(const ReportFact& fact) {
    std::string note = html_text(fact.note);
    for (std::size_t bar = note.find('|'); bar != std::string::npos; bar = note.find('|', bar + 1)) {
        note.insert(bar + 1, "<wbr>");
    }
    return html_text(fact.value) + (note.empty() ? "" : "<small>" + note + "</small>");
}

std::string facts_list(const std::vector<ReportFact>& facts) {
    std::string html = "<dl class=\"facts\">\n";
    for (const ReportFact& fact : facts) {
        html += "<div><dt>" + html_text(fact.name) + "</dt><dd>" + value_with_note(fact) + "</dd></div>\n";
    }
    return html + "</dl>\n";
}

ChartSeries run_series(const Report& report, std::size_t run, Mark mark) {
    ChartSeries series;
    series.name = report.runs[run].name;
    series.mark = mark;
    series.colour = run;
    series.dashed = run >= chart_colours;
    return series;
}

// The names of facts over all runs, in the order of first sight.
std::vector<std::string> fact_names(const Report& report) {
    std::vector<std::string> names;
    for (const ReportRun& run : report.runs) {
        for (const ReportFact& fact : run.facts) {
            if (std::find(names.begin(), names.end(), fact.name) == names.end()) {
                names.push_back(fact.name);
            }
        }
    }
    return names;
}

std::string fact_cell(const ReportRun& run, const std::string& name) {
    const auto fact = std::find_if(run.facts.begin(), run.facts.end(),
                                   [&](const ReportFact& candidate) { return candidate.name == name; });
    if (fact == run.facts.end()) {
        return "<td></td>";
    }
    return "<td>" + value_with_note(*fact) + "</td>";
}

std::string runs_table(const Report& report) {
    const std::vector<std::string> names = fact_names(report);
    std::string html =
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Figures of the runs\"><table "
        "class=\"runs\"><thead><tr><th scope=\"col\">Run</th>";
    for (const std::string& name : names) {
        html += "<th scope=\"col\">" + html_text(name) + "</th>";
    }
    html += "</tr></thead><tbody>\n";
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
        html += "<tr><th scope=\"row\"><span class=\"run\">" + series_sample(run_series(report, i, Mark::line)) +
                "<bdi>" + html_text(report.runs[i].name) + "</bdi></span></th>";
        for (const std::string& name : names) {
            html += fact_cell(report.runs[i], name);
        }
        html += "</tr>\n";
    }
    return html + "</tbody></table></div>\n";
}

Chart updates_chart(const char* id, const char* title, const char* y_label) {
    Chart chart;
    chart.id = id;
    chart.title = title;
    chart.x_label = "Updates";
    chart.y_label = y_label;
    return chart;
}

Chart curve_chart(const Report& report, Chart chart, CurveOf curve, Mark mark) {
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
        ChartSeries series = run_series(report, i, mark);
        series.points = report.runs[i].curves.*curve;
        chart.series.push_back(std::move(series));
    }
    return chart;
}

// One run: two curves of two colours. Several: a colour for each, the validation dashed.
Chart loss_chart(const Report& report) {
    Chart chart = updates_chart("chart-loss", "Loss", "nats per target piece");
    chart.note =
        "The training loss is what is minimised, including dropout and label smoothing if set; the validation loss is "
        "the plain cross-entropy.";
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
        ChartSeries train = run_series(report, i, Mark::line);
        ChartSeries validation = run_series(report, i, Mark::dots_and_line);
        const bool single = report.runs.size() == 1;
        train.points = report.runs[i].curves.train_loss;
        train.name = single ? "training" : train.name + ", training";
        validation.points = report.runs[i].curves.validation_loss;
        validation.name = single ? "validation" : validation.name + ", validation";
        validation.colour = single ? 1 : i;
        validation.dashed = true;
        chart.series.push_back(std::move(train));
        chart.series.push_back(std::move(validation));
    }
    return chart;
}

// After the loss: a chart for each metric that a run was validated by, BLEU in any case.
void add_score_charts(const Report& report, std::vector<Chart>& charts) {
    const struct {
        const char* id;
        const char* title;
        const char* y_label;
        CurveOf curve;
    } scores[] = {
        {"chart-bleu", "BLEU", "BLEU on the validation text", &TrainingCurves::bleu},
        {"chart-chrf", "chrF2", "chrF2 on the validation text", &TrainingCurves::chrf},
        {"chart-chrf-plus-plus", "chrF2++", "chrF2++ on the validation text", &TrainingCurves::chrf_plus_plus},
        {"chart-ter", "TER", "TER on the validation text, lower is better", &TrainingCurves::ter},
        {"chart-cer", "CER", "CER on the validation text, lower is better", &TrainingCurves::cer},
        {"chart-wer", "WER", "WER on the validation text, lower is better", &TrainingCurves::wer}};
    std::vector<Chart> shown;
    for (const auto& [id, title, y_label, curve] : scores) {
        Chart chart = curve_chart(report, updates_chart(id, title, y_label), curve, Mark::dots_and_line);
        if (shown.empty() || has_points(chart)) {
            shown.push_back(std::move(chart));
        }
    }
    charts.insert(charts.begin() + 1, shown.begin(), shown.end());
}

// All curves of a report have the same x axis, so that they can be compared.
double last_update(const std::vector<Chart>& charts) {
    double last = 0.0;
    for (const Chart& chart : charts) {
        for (const ChartSeries& series : chart.series) {
            for (const Point& point : series.points) {
                last = is_drawable(point.x) ? std::max(last, point.x) : last;
            }
        }
    }
    return last;
}

Chart bleu_by_length(const Report& report) {
    Chart chart;
    chart.id = "chart-lengths";
    chart.title = "BLEU by length";
    chart.x_label = "Tokens of the reference";
    chart.y_label = "BLEU";
    chart.from_zero = true;
    std::string counts;
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
        ChartSeries series = run_series(report, i, Mark::bars);
        for (const LengthScore& score : report.runs[i].by_length) {
            const auto place = std::find(chart.categories.begin(), chart.categories.end(), score.lengths);
            series.points.push_back({static_cast<double>(place - chart.categories.begin()), score.bleu});
            if (place == chart.categories.end()) {
                chart.categories.push_back(score.lengths);
                counts += (counts.empty() ? "" : ", ") + std::to_string(score.sentences) + " of " + score.lengths;
            }
        }
        chart.series.push_back(std::move(series));
    }
    chart.note = "Corpus BLEU of the sentences of each length: " + counts + " tokens.";
    return chart;
}

Chart entropy_by_length(const Report& report) {
    Chart chart;
    chart.id = "chart-entropy";
    chart.title = "Alignment entropy by sentence";
    chart.x_label = "Pieces of the translation";
    chart.y_label = "bits, mean over the pieces";
    chart.from_zero = true;
    chart.note =
        "How many source pieces each target piece attends to: 0 bits is one, 1 bit is two equally, 2 bits is four. "
        "Each dot is a sentence.";
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
        ChartSeries series = run_series(report, i, Mark::dots);
        series.points = report.runs[i].entropy;
        chart.series.push_back(std::move(series));
    }
    return chart;
}

}  // namespace

std::string head_section(const Report& report) {
    if (report.runs.empty()) {
        return "";
    }
    if (report.runs.size() > 1) {
        return "<section id=\"summary\" aria-label=\"The runs\">\n" + runs_table(report) + "</section>\n";
    }
    if (report.runs.front().facts.empty()) {
        return "";
    }
    return "<section id=\"summary\" aria-label=\"Figures\">\n" + facts_list(report.runs.front().facts) + "</section>\n";
}

std::string training_section(const Report& report) {
    std::vector<Chart> charts;
    charts.push_back(loss_chart(report));
    charts.push_back(curve_chart(report, updates_chart("chart-rate", "Learning rate", "step size of the optimiser"),
                                 &TrainingCurves::learning_rate, Mark::line));
    charts.push_back(curve_chart(report, updates_chart("chart-norm", "Gradient norm", "Euclidean norm before clipping"),
                                 &TrainingCurves::gradient_norm, Mark::line));
    charts.push_back(curve_chart(report, updates_chart("chart-speed", "Speed", "target pieces per second"),
                                 &TrainingCurves::tokens_per_second, Mark::line));
    charts[2].from_zero = charts[3].from_zero = true;
    add_score_charts(report, charts);
    if (std::none_of(charts.begin(), charts.end(), has_points)) {
        return "";
    }
    const std::vector<double> reach = {0.0, last_update(charts)};
    for (Chart& chart : charts) {
        chart.x_reaches = reach;
    }
    std::string html = "<div class=\"charts\">\n";
    for (const Chart& chart : charts) {
        html += chart_html(chart);
    }
    return section("training", "Training", html + "</div>\n");
}

std::string length_section(const Report& report) {
    std::string html;
    for (const Chart& chart : {bleu_by_length(report), entropy_by_length(report)}) {
        html += has_points(chart) ? chart_html(chart) : "";
    }
    return section("lengths", "By length", html.empty() ? "" : "<div class=\"charts\">\n" + html + "</div>\n");
}

}  // namespace softalign

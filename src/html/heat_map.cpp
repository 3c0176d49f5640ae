#include "html/sentence_views.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "html/text.h"

namespace softalign {

namespace {

constexpr int shades = 20;                  // steps of grey
constexpr std::size_t label_width = 18;     // columns
constexpr double character = 7.4;           // width of a column of the labels
constexpr double widest_to_shrink = 480.0;  // pictures up to this width shrink with a narrow window

struct Layout {
    double cell = 20.0;
    double left = 0.0;   // room for the target's labels
    double top = 0.0;    // and for the source's, which stand at half a right angle
    double right = 0.0;  // which lean over the last column
};

std::size_t widest(const std::vector<std::string>& labels) {
    std::size_t result = 1;
    for (const std::string& label : labels) {
        result = std::max(result, display_width(shortened(label, label_width)));
    }
    return result;
}

Layout layout_of(const AttentionPicture& picture) {
    const std::size_t longer = std::max(picture.source.size(), picture.target.size());
    Layout layout;
    layout.cell = longer <= 14 ? 24.0 : longer <= 40 ? 20.0 : 18.0;
    layout.left = static_cast<double>(widest(picture.target)) * character + 12.0;
    const double slope = std::sqrt(0.5) * (static_cast<double>(widest(picture.source)) * character + 8.0);
    layout.top = slope + 12.0;
    // Only labels of the last columns stick out.
    layout.right = 8.0;
    for (std::size_t i = 0; i < picture.source.size(); ++i) {
        const double length = static_cast<double>(display_width(shortened(picture.source[i], label_width)));
        const double behind = static_cast<double>(picture.source.size() - i) - 0.5;
        layout.right = std::max(layout.right, std::sqrt(0.5) * (length * character + 8.0) + 8.0 - behind * layout.cell);
    }
    return layout;
}

double weight_of(float weight) {
    return std::isfinite(weight) ? std::clamp(static_cast<double>(weight), 0.0, 1.0) : 0.0;
}

std::string label(const std::string& text, const std::string& place) {
    return "<text " + place + ">" + html_text(shortened(text, label_width)) + "<title>" + html_text(text) +
           "</title></text>\n";
}

std::string labels(const AttentionPicture& picture, const Layout& layout) {
    std::string svg = "<g class=\"source\">\n";
    for (std::size_t i = 0; i < picture.source.size(); ++i) {
        const double x = layout.left + (static_cast<double>(i) + 0.5) * layout.cell;
        svg += label(picture.source[i],
                     fmt::format("transform=\"translate({:.1f} {:.1f}) rotate(-45)\"", x + 3, layout.top - 7));
    }
    svg += "</g><g class=\"target\">\n";
    for (std::size_t i = 0; i < picture.target.size(); ++i) {
        const double y = layout.top + (static_cast<double>(i) + 0.5) * layout.cell;
        svg += label(picture.target[i], fmt::format("x=\"{:.1f}\" y=\"{:.1f}\"", layout.left - 6, y + 4));
    }
    return svg + "</g>\n";
}

// One path for each shade of grey, in cells of one unit.
std::string cells(const AttentionPicture& picture) {
    std::vector<std::string> paths(shades + 1);
    for (std::size_t row = 0; row < picture.weights.size(); ++row) {
        for (std::size_t column = 0; column < picture.weights[row].size(); ++column) {
            const auto shade = static_cast<std::size_t>(std::lround(weight_of(picture.weights[row][column]) * shades));
            paths[shade] += fmt::format("M{} {}h1v1h-1z", column, row);
        }
    }
    std::string svg;
    for (std::size_t shade = 1; shade < paths.size(); ++shade) {
        if (!paths[shade].empty()) {
            const int grey = static_cast<int>(std::lround(255.0 * static_cast<double>(shade) / shades));
            svg += fmt::format("<path fill=\"#{0:02x}{0:02x}{0:02x}\" d=\"{1}\"/>\n", grey, paths[shade]);
        }
    }
    return svg;
}

// In thousandths: "0 12 988;1000 0 0".
std::string numbers(const AttentionPicture& picture) {
    std::string text;
    for (const std::vector<float>& row : picture.weights) {
        text += text.empty() ? "" : ";";
        for (std::size_t column = 0; column < row.size(); ++column) {
            text += fmt::format("{}{}", column == 0 ? "" : " ", std::lround(1000.0 * weight_of(row[column])));
        }
    }
    return text;
}

}  // namespace

std::string heat_map_html(const AttentionPicture& picture, const std::string& name) {
    const Layout layout = layout_of(picture);
    const auto columns = static_cast<double>(picture.source.size());
    const auto rows = static_cast<double>(picture.target.size());
    const double width = std::ceil(layout.left + columns * layout.cell + layout.right);
    const double height = std::ceil(layout.top + rows * layout.cell + 6.0);
    const std::string title = html_text(name);
    std::string html = "<div class=\"heat\"><div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"" + title +
                       ": the arrow keys go from weight to weight\">\n";
    html += fmt::format(
        "<svg class=\"{}\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"{}\" "
        "data-cell=\"{}\" data-left=\"{:.1f}\" data-top=\"{:.1f}\" data-weights=\"{}\">\n",
        width <= widest_to_shrink ? "shrinks" : "", width, height, width, height, title, layout.cell, layout.left,
        layout.top, numbers(picture));
    html += labels(picture, layout);
    html += fmt::format(
        "<g transform=\"translate({:.1f} {:.1f}) scale({})\" shape-rendering=\"crispEdges\">"
        "<rect width=\"{}\" height=\"{}\" fill=\"#000\"/>\n{}</g>\n",
        layout.left, layout.top, layout.cell, columns, rows, cells(picture));
    html += fmt::format("<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>\n", layout.left,
                        layout.top, columns * layout.cell, rows * layout.cell);
    return html + "</svg></div><p class=\"readout\" role=\"status\"></p></div>\n";
}

double mean_entropy(const std::vector<std::vector<float>>& weights) {
    double sum = 0.0;
    for (const std::vector<float>& row : weights) {
        double total = 0.0;
        for (const float weight : row) {
            total += weight_of(weight);
        }
        for (const float weight : row) {
            const double share = total > 0.0 ? weight_of(weight) / total : 0.0;
            sum -= share > 0.0 ? share * std::log2(share) : 0.0;
        }
    }
    return weights.empty() ? 0.0 : sum / static_cast<double>(weights.size());
}

}  // namespace softalign

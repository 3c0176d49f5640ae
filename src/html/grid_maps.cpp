// Attention over a grid, such as the positions of a picture: a small map for each piece of the target.
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/crc32c.h"
#include "html/sentence_views.h"
#include "html/text.h"

namespace softalign {

namespace {

constexpr double least_side = 96.0;   // of a map on the page, in pixels
constexpr double widest_map = 480.0;  // larger ones are shrunk
constexpr double largest_pixel = 12.0;
constexpr int levels = 8;  // of each colour of the picture behind the weights
constexpr std::size_t caption_width = 18;

double finite_weight(float weight) {
    return std::isfinite(weight) ? std::max(static_cast<double>(weight), 0.0) : 0.0;
}

int level_of(float value) {
    const double inside = std::isfinite(value) ? std::clamp(static_cast<double>(value), 0.0, 1.0) : 0.0;
    return static_cast<int>(std::lround(inside * (levels - 1)));
}

std::string hex_colour(int colour) {
    std::string text = "#";
    for (const int level : {colour / (levels * levels), colour / levels % levels, colour % levels}) {
        text += fmt::format("{:02x}", level * 255 / (levels - 1));
    }
    return text;
}

// The picture in units of its pixels: one path for each colour, with a bar for each run of pixels in a row.
std::string picture_paths(const SourceImage& image) {
    std::map<int, std::string> paths;
    const auto colour_at = [&](std::int64_t pixel) {
        const auto first = static_cast<std::size_t>(pixel * image.depth);
        const float* const values = image.values.data() + first;
        const float green = image.depth == 3 ? values[1] : values[0];
        const float blue = image.depth == 3 ? values[2] : values[0];
        return (level_of(values[0]) * levels + level_of(green)) * levels + level_of(blue);
    };
    for (std::int64_t y = 0; y < image.size.height; ++y) {
        for (std::int64_t x = 0; x < image.size.width;) {
            const std::int64_t begin = x;
            const int colour = colour_at(y * image.size.width + x);
            while (x < image.size.width && colour_at(y * image.size.width + x) == colour) {
                ++x;
            }
            paths[colour] += fmt::format("M{} {}h{}v1h-{}z", begin, y, x - begin, x - begin);
        }
    }
    std::string svg;
    for (const auto& [colour, path] : paths) {
        svg += "<path fill=\"" + hex_colour(colour) + "\" d=\"" + path + "\"/>";
    }
    return svg;
}

// The weights of a piece in units of the drawing, each over its part of it; the greatest is opaque.
std::string weight_cells(const std::vector<float>& weights, const Grid& grid, const Grid& drawing) {
    double greatest = 0.0;
    for (const float weight : weights) {
        greatest = std::max(greatest, finite_weight(weight));
    }
    const double width = static_cast<double>(drawing.width) / static_cast<double>(grid.width);
    const double height = static_cast<double>(drawing.height) / static_cast<double>(grid.height);
    std::string svg;
    for (std::int64_t p = 0; p < grid.positions() && greatest > 0.0; ++p) {
        const double share = finite_weight(weights[static_cast<std::size_t>(p)]) / greatest;
        if (share >= 0.01) {
            svg +=
                fmt::format("<rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"{:.6g}\" height=\"{:.6g}\" opacity=\"{:.2f}\"/>",
                            static_cast<double>(p % grid.width) * width, static_cast<double>(p / grid.width) * height,
                            width, height, share);
        }
    }
    return svg;
}

// How many pixels of the page a unit of the drawing takes.
double scale_of(const Grid& drawing) {
    const auto [least, greatest] = std::minmax(drawing.height, drawing.width);
    const double enlarged = std::clamp(least_side / static_cast<double>(least), 1.0, largest_pixel);
    return std::min(enlarged, widest_map / static_cast<double>(greatest));
}

}  // namespace

std::string grid_maps_html(const AttentionPicture& picture, const std::string& name) {
    const bool over_image = picture.image.size.positions() > 0;
    const Grid drawing = over_image ? picture.image.size : picture.grid;
    const double scale = scale_of(drawing);
    const std::string id = fmt::format("picture-{:08x}", crc32c(name.data(), name.size()));
    const std::string background =
        over_image ? "<use href=\"#" + id + "\"/>"
                   : fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#000\"/>", drawing.width, drawing.height);
    std::string html = "<div class=\"looks\">\n";
    if (over_image) {  // drawn once, and used by every map
        html += "<svg width=\"0\" height=\"0\" aria-hidden=\"true\"><defs><g id=\"" + id + "\">" +
                picture_paths(picture.image) + "</g></defs></svg>\n";
    }
    for (std::size_t row = 0; row < picture.target.size(); ++row) {
        const std::string label = html_text(picture.target[row]);
        html += fmt::format(
            "<figure><svg viewBox=\"0 0 {} {}\" width=\"{:.0f}\" height=\"{:.0f}\" role=\"img\" aria-label=\"{}, {}\" "
            "shape-rendering=\"crispEdges\">{}<g fill=\"{}\"{}>{}</g></svg><figcaption>{}</figcaption></figure>\n",
            drawing.width, drawing.height, static_cast<double>(drawing.width) * scale,
            static_cast<double>(drawing.height) * scale, html_text(name), label, background,
            over_image ? "#e00000" : "#fff", over_image ? " fill-opacity=\"0.6\"" : "",
            weight_cells(picture.weights[row], picture.grid, drawing),
            html_text(shortened(picture.target[row], caption_width)));
    }
    return html + "</div>\n";
}

}  // namespace softalign

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/grid.h"

namespace softalign {

// A picture that was translated.
struct SourceImage {
    Grid size{};                // of its pixels; 0 x 0 = none
    std::int64_t depth = 1;     // 1: grey; 3: red, green, blue
    std::vector<float> values;  // [pixels, depth], 0..1
};

// The attention of a translation: a row of weights for each target label, a column for each source label or, where the
// source is no text, for each position of a grid.
struct AttentionPicture {
    std::vector<std::string> source;
    std::vector<std::string> target;
    std::vector<std::vector<float>> weights{};  // 0..1
    Grid grid{};                                // 0 x 0 = the source is text
    SourceImage image{};                        // that the grid lies over, if there is one
};

// A picture as in Bahdanau et al. 2014, figure 3: source words at the top, target words on the left, black for weight 0
// and white for 1. Inline SVG in an element that scrolls if too wide, with the weights that report.js shows on hover
// and with the arrow keys. Long labels are shortened; their <title> has the full text. Weights that are not finite
// count as 0. `name` describes the picture to those who cannot see it. REQUIRES: matching sizes.
std::string heat_map_html(const AttentionPicture& picture, const std::string& name);

// A map of the grid for each target label, over the image if there is one; the greatest weight of each map is the
// brightest. Weights that are not finite count as 0. REQUIRES: a grid, and matching sizes.
std::string grid_maps_html(const AttentionPicture& picture, const std::string& name);

// The mean entropy of the rows, in bits: 0 if each row has all its weight in one place. Rows are normalised first; rows
// without weight count as 0.
double mean_entropy(const std::vector<std::vector<float>>& weights);

// A part of a text, including white space before it, that the other text shares or lacks.
struct DiffSpan {
    std::string text;
    bool shared = true;
};

struct WordDiff {
    std::vector<DiffSpan> left;  // together the whole text
    std::vector<DiffSpan> right;
};

// Compares two texts by a longest common subsequence of words. ASCII punctuation and each East Asian character count as
// separate words. Words are equal if their bytes are. Texts of more than a few thousand words are compared only at
// their beginning and end.
WordDiff compare_words(std::string_view left, std::string_view right);

}  // namespace softalign

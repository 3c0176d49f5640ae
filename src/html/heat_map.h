#pragma once

#include <string>
#include <vector>

namespace softalign {

// The attention of a translation: a row of weights for each target label, a column for each source label.
struct AttentionPicture {
    std::vector<std::string> source;
    std::vector<std::string> target;
    std::vector<std::vector<float>> weights;  // 0..1
};

// A picture as in Bahdanau et al. 2014, figure 3: source words at the top, target words on the left, black for weight 0
// and white for 1. Inline SVG in an element that scrolls if too wide, with the weights that report.js shows on hover
// and with the arrow keys. Long labels are shortened; their <title> has the full text. Weights that are not finite
// count as 0. `name` describes the picture to those who cannot see it. REQUIRES: matching sizes.
std::string heat_map_html(const AttentionPicture& picture, const std::string& name);

// The mean entropy of the rows, in bits: 0 if each row has all its weight in one place. Rows are normalised first; rows
// without weight count as 0.
double mean_entropy(const std::vector<std::vector<float>>& weights);

}  // namespace softalign

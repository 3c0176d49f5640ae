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

// The picture of Bahdanau et al. 2014, figure 3: source words above, target words at the left, black for no weight and
// white for all of it. Inline SVG in an element that scrolls where it is too wide, with the weights that report.js
// shows on hover and by the arrow keys. Long labels are shortened, and the whole is in their <title>. Weights that are
// not finite count as 0. `name` says what it is to those who do not see it. REQUIRES: sizes that fit each other.
std::string heat_map_html(const AttentionPicture& picture, const std::string& name);

// The mean entropy of the rows, in bits: 0 if each row has all its weight in one place. Rows are normalised first; rows
// without weight count as 0.
double mean_entropy(const std::vector<std::vector<float>>& weights);

}  // namespace softalign

#include "search/options.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softalign {

std::vector<std::int64_t> PrefixGraph::shortest(bool to_end) const {
    std::vector<std::int64_t> tokens(nodes.size());
    for (std::size_t node = nodes.size(); node-- > 0;) {
        if (nodes[node].empty() || (to_end && static_cast<std::int32_t>(node) == may_end)) {
            continue;
        }
        const auto nearest =
            std::min_element(nodes[node].begin(), nodes[node].end(), [&](const Edge& a, const Edge& b) {
                return tokens[static_cast<std::size_t>(a.to)] < tokens[static_cast<std::size_t>(b.to)];
            });
        tokens[node] = tokens[static_cast<std::size_t>(nearest->to)] + 1;
    }
    return tokens;
}

}  // namespace softalign

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softalign {

// The token sequences that an output may start with, as a graph: an output walks along the edges from node 0. At a node
// without edges its start is complete, and any token may follow; elsewhere only the tokens of the edges may. Edges lead
// to later nodes. An empty graph is no constraint.
struct PrefixGraph {
    struct Edge {
        std::int32_t token = 0;
        std::int32_t to = 0;
    };
    std::vector<std::vector<Edge>> nodes;
    std::int32_t may_end = -1;  // a node with several edges at which the output may also end; -1 = none

    bool complete(std::int32_t node) const { return nodes.empty() || nodes[static_cast<std::size_t>(node)].empty(); }

    // The node after a token. REQUIRES: the token may follow.
    std::int32_t next(std::int32_t node, std::int32_t token) const {
        if (!complete(node)) {
            for (const Edge& edge : nodes[static_cast<std::size_t>(node)]) {
                if (edge.token == token) {
                    return edge.to;
                }
            }
        }
        return node;
    }

    // The fewest tokens from each node to where the start is complete or, with `to_end`, to where the output may end.
    // Empty for an empty graph.
    std::vector<std::int64_t> shortest(bool to_end) const;
};

}  // namespace softalign

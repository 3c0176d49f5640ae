// What is asked of translations: a text, the starts of its translations and the phrases in them, with lines "===="
// between.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "byte_tokenizer.h"
#include "fuzz.h"
#include "translate/request_reader.h"
#include "translate/target_constraints.h"

namespace softalign {

namespace {

void check(const PrefixGraph& graph) {
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        for (const PrefixGraph::Edge& edge : graph.nodes[node]) {
            require(
                edge.to > static_cast<std::int32_t>(node) && edge.to < static_cast<std::int32_t>(graph.nodes.size()),
                "the ways to write a text lead on and end");
        }
    }
}

void check_end(const PrefixGraph& graph) {
    require(graph.may_end < static_cast<std::int32_t>(graph.nodes.size()), "an output ends at a node");
    require(graph.may_end < 0 || !graph.complete(graph.may_end), "where an output may end, it may also go on");
}

void check(const TranslationRequest& request, const TargetConstraints& constraints) {
    const PrefixGraph graph = constraints.starts_with(request.prefix);
    check(graph);
    check_end(graph);
    for (const std::string& phrase : request.phrases) {
        require(!phrase.empty(), "no phrase is empty");
        accepts([&] { require(!constraints.phrase(phrase).empty(), "a phrase has pieces"); });
    }
}

void run(std::string_view input) {
    static const ByteTokenizer tokenizer;
    static const TargetConstraints constraints(tokenizer);
    const std::vector<std::string_view> parts = cut(input, 3);
    MemoryFile text;
    MemoryFile prefixes;
    MemoryFile phrases;
    const RequestFiles files{text.hold(parts[0]), prefixes.hold(parts[1]), phrases.hold(parts[2])};
    accepts([&] {
        RequestReader reader(files);
        for (TranslationRequest request; reader.next(request);) {
            check(request, constraints);
        }
    });
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}

// What is asked of translations: a text, the starts of its translations and the phrases in them, with lines "===="
// between.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "byte_tokenizer.h"
#include "fuzz.h"
#include "search/phrases.h"
#include "translate/request_queue.h"
#include "translate/sentence_encoder.h"

namespace softalign {

namespace {

// Knows no capital letters.
class SmallTokenizer : public ByteTokenizer {
public:
    std::vector<std::int32_t> encode(std::string_view text) const override {
        std::vector<std::int32_t> ids = ByteTokenizer::encode(text);
        std::replace_if(
            ids.begin(), ids.end(), [this](std::int32_t id) { return is_capital(id); }, special().unk);
        return ids;
    }

    std::vector<std::pair<std::string, std::int32_t>> segment(std::string_view text) const override {
        std::vector<std::pair<std::string, std::int32_t>> pieces;
        for (const std::int32_t id : ByteTokenizer::encode(text)) {
            pieces.emplace_back(piece(id), is_capital(id) ? special().unk : id);
        }
        return pieces;
    }

private:
    bool is_capital(std::int32_t id) const {
        const std::string text = piece(id);
        return text.size() == 1 && text[0] >= 'A' && text[0] <= 'Z';
    }
};

// A model to encode for; only its vocabularies and its direction count.
struct SmallModel {
    SmallTokenizer tokenizer;
    Seq2Seq model{config(), VocabularySizes{tokenizer.size(), tokenizer.size()}};
    Ensemble ensemble{model, tokenizer, tokenizer};

    static ModelConfig config() {
        ModelConfig config;
        config.embedding_size = config.encoder.hidden_size = config.decoder.hidden_size = config.attention.size = 1;
        return config;
    }
};

void check(const PrefixGraph& graph) {
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        for (const PrefixGraph::Edge& edge : graph.nodes[node]) {
            require(
                edge.to > static_cast<std::int32_t>(node) && edge.to < static_cast<std::int32_t>(graph.nodes.size()),
                "the ways to write a text lead on and end");
        }
    }
    require(graph.may_end < static_cast<std::int32_t>(graph.nodes.size()), "an output ends at a node");
    require(graph.may_end < 0 || !graph.complete(graph.may_end), "where an output may end, it may also go on");
}

bool has_token(const PrefixGraph& graph, std::int32_t token) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [token](const auto& edges) {
        return std::any_of(edges.begin(), edges.end(), [token](const auto& edge) { return edge.token == token; });
    });
}

void check(const SearchTask& task, bool forbid_unk) {
    check(task.prefix);
    require(!forbid_unk || !has_token(task.prefix, SpecialIds{}.unk), "a start has no forbidden piece");
    require(task.phrases.size() <= Phrases::most, "there are not too many phrases");
    for (const std::vector<std::int32_t>& phrase : task.phrases) {
        require(!phrase.empty(), "a phrase has pieces");
        require(std::count(phrase.begin(), phrase.end(), SpecialIds{}.unk) == 0, "the pieces of a phrase are known");
    }
    const std::vector<std::int64_t> start = task.prefix.shortest(task.phrases.empty());
    require((start.empty() ? 0 : start.front()) + Phrases(task.phrases).tokens() <= task.max_length,
            "there is room for what is asked");
    require(task.min_length <= task.max_length, "the limits leave a length");
}

class Encoder {
public:
    explicit Encoder(bool forbid_unk) { options_.search.forbid_unk = forbid_unk; }

    void encode(const TranslationRequest& request) {
        accepts([&] {
            const EncodedSentence sentence = encoder_.encode(request);
            if (!sentence.empty()) {
                check(sentence.task, options_.search.forbid_unk);
            }
        });
    }

private:
    SmallModel model_;
    TranslateOptions options_;
    SentenceEncoder encoder_{model_.ensemble, options_};
};

void run(std::string_view input) {
    static Encoder allows_unknown(false);
    static Encoder forbids_unknown(true);
    const std::vector<std::string_view> parts = cut(input, 3);
    MemoryFile text;
    MemoryFile prefixes;
    MemoryFile phrases;
    const RequestFiles files{text.hold(parts[0]), prefixes.hold(parts[1]), phrases.hold(parts[2])};
    accepts([&] {
        RequestReader reader(files);
        for (TranslationRequest request; reader.next(request);) {
            require(std::count(request.phrases.begin(), request.phrases.end(), "") == 0, "no phrase is empty");
            allows_unknown.encode(request);
            forbids_unknown.encode(request);
        }
    });
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}

#include "train/pretrained_embeddings.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "text/tokenizer.h"
#include "text/word_vectors.h"
#include "text/words.h"

namespace softalign {

namespace {

void require_width(const WordVectors& vectors, const char* key, const Config& config) {
    if (vectors.width() != config.model.embedding_size) {
        throw Error(ExitCode::configuration, std::string(key) + ": " + vectors.place() + "its vectors have " +
                                                 std::to_string(vectors.width()) +
                                                 " numbers, and model.embedding_size is " +
                                                 std::to_string(config.model.embedding_size) + "; they must be equal");
    }
}

// The table of embeddings, and which of its pieces have got theirs, spelt as they are or without "▁".
struct Table {
    enum class Found { no, without_space, as_spelt };

    at::Tensor weights;  // [V,E]
    std::vector<Found> found;
};

void read_embeddings(const std::string& path, const char* key, const Config& config, const Tokenizer& tokenizer,
                     Table& table) {
    WordVectors vectors(path);
    require_width(vectors, key, config);
    const auto places = ids_by_piece(tokenizer);
    const std::vector<Table::Found> before = table.found;
    at::Tensor rows = table.weights.cpu();
    const auto take = [&](const std::string& piece, Table::Found how) {
        const auto place = places.find(piece);
        if (place == places.end()) {
            return;
        }
        const auto id = static_cast<std::size_t>(place->second);
        if (before[id] == Table::Found::no && table.found[id] < how) {
            table.found[id] = how;
            std::copy(vectors.vector().begin(), vectors.vector().end(),
                      rows.data_ptr<float>() + place->second * vectors.width());
        }
    };
    // A word gives its vector to two pieces: as it is spelt, and with a "▁" before it.
    while (vectors.next()) {
        take(vectors.word(), Table::Found::as_spelt);
        take(std::string(space_symbol) + vectors.word(), Table::Found::without_space);
    }
    std::int64_t found = 0;
    for (std::size_t id = 0; id < before.size(); ++id) {
        found += table.found[id] != before[id] ? 1 : 0;
    }
    const at::NoGradGuard no_grad;
    table.weights.copy_(rows);
    spdlog::info("{}: vectors for {} of {} pieces, from {} words of {}", key, found, before.size(), vectors.count(),
                 path);
}

Table table_of(const FlatParameters& parameters, const std::string& name) {
    for (const auto& [part_name, part] : parameters.parts(parameters.values())) {
        if (part_name == name) {
            return {part, std::vector<Table::Found>(static_cast<std::size_t>(part.size(0)), Table::Found::no)};
        }
    }
    return {};
}

constexpr const char* source_key = "model.init.source_embeddings";
constexpr const char* target_key = "model.init.target_embeddings";

}  // namespace

void require_embedding_files(const Config& config) {
    const InitConfig& init = config.model.init;
    if (!init.source_embeddings.empty()) {
        require_width(WordVectors(init.source_embeddings), source_key, config);
    }
    if (!init.target_embeddings.empty()) {
        require_width(WordVectors(init.target_embeddings), target_key, config);
    }
}

void take_pretrained_embeddings(const Config& config, const Tokenizers& tokenizers, const FlatParameters& parameters) {
    const InitConfig& init = config.model.init;
    Table source = table_of(parameters, "source_embedding");
    if (!init.source_embeddings.empty()) {
        read_embeddings(init.source_embeddings, source_key, config, *tokenizers.source, source);
    }
    if (!init.target_embeddings.empty()) {
        Table target = table_of(parameters, "target_embedding");
        read_embeddings(init.target_embeddings, target_key, config, *tokenizers.target,
                        target.weights.defined() ? target : source);
    }
}

}  // namespace softalign

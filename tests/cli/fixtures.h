#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "config/load.h"
#include "storage/model_directory.h"
#include "text/fixtures.h"
#include "text/placeholder_pieces.h"
#include "text/tags.h"
#include "text/trained_vocabulary.h"

namespace softalign {

using Arguments = std::vector<std::string>;

// Text that the model below knows the words of.
inline const Arguments model_sentences = {"the cat sees the dog", "a dog", "the house is small", "",
                                          "a small cat sees a house"};

inline Arguments lines_of(const std::string& text) {
    Arguments lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

inline Arguments split(const std::string& text, char separator) {
    Arguments parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        parts.push_back(part);
    }
    return parts;
}

// Lines of two to six random words, the same at each call.
struct RandomPairs {
    std::string source;
    std::string target;
};

inline RandomPairs random_pairs(int lines) {
    const Arguments words = {"alpha", "bravo", "delta", "echo", "golf", "hotel"};
    Random random(5);
    RandomPairs pairs;
    for (int line = 0; line < lines; ++line) {
        for (std::uint64_t i = random.below(5); i < 6; ++i) {
            pairs.source += words[random.below(words.size())] + " ";
            pairs.target += words[random.below(words.size())] + " ";
        }
        pairs.source += "\n";
        pairs.target += "\n";
    }
    return pairs;
}

// What a small random model has as its configuration.
inline Config small_model_config() {
    Config config;
    config.vocabulary.type = VocabularyType::word;
    config.model.embedding_size = 8;
    config.model.encoder.hidden_size = 8;
    config.model.decoder.hidden_size = 8;
    config.model.attention.size = 8;
    config.model.init.weights = Initializer::normal;
    config.search.beam = 3;
    config.search.max_length_ratio = 1.0;
    config.search.max_length_offset = 2;
    config.runtime.workers = 1;
    return config;
}

// The same for arrays with so many values at each position.
inline Config small_feature_config(std::int64_t depth = 1) {
    Config config = small_model_config();
    config.data.source_type = SourceType::features;
    config.model.source.size = depth;
    config.search.max_length = 6;
    return config;
}

// A random model over a word vocabulary, and other.safetensors with other weights. `biases` are added to those of the
// output: by piece. `held`: placeholders that the vocabulary gets, after its 12 other pieces.
inline void write_model(const std::string& directory, const Config& config = small_model_config(),
                        const std::map<std::int64_t, double>& biases = {}, std::size_t held = 0) {
    const SourceType source = config.data.source_type;
    std::filesystem::create_directories(directory);
    train_vocabulary_on(
        {"the cat sees the dog", "a small house is a house", "the dog is small"}, config.vocabulary, 12,
        source == SourceType::text ? joint_vocabulary_path(directory) : target_vocabulary_path(directory));
    if (held > 0) {
        const std::string path = joint_vocabulary_path(directory);
        const VocabularyBytes file = with_tags(read_vocabulary(path), placeholders(held));
        std::ofstream(path, std::ios::binary) << file.bytes;
    }
    std::ofstream(config_path(directory)) << to_yaml(config);
    const Tokenizers tokenizers = load_tokenizers(directory, source);
    Seq2Seq model(config.model, sizes_of(config.model, tokenizers));
    for (const std::uint64_t seed : {12U, 11U}) {
        model.initialize(seed);
        const at::NoGradGuard no_gradients;
        for (const auto& [piece, bias] : biases) {
            model.named_parameters()["output_bias"].select(0, piece).add_(bias);
        }
        save_weights(model, seed == 11 ? weights_path(directory) : directory + "/other.safetensors");
    }
}

}  // namespace softalign

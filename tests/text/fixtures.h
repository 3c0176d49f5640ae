#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/has.h"
#include "base/random.h"
#include "base/temporary_folder.h"
#include "config/config.h"
#include "text/gzip.h"
#include "text/trained_vocabulary.h"

namespace softalign {

inline std::string read_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line + "\n";
    }
    return text;
}

// The message of the Error that `action` throws; anything else fails the test.
inline std::string error_of(ExitCode code, const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(code)) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
}

// Sentences of a small made-up language: 96 words of stems and endings, 600 sentences.
inline std::vector<std::string> sample_sentences() {
    const std::vector<std::string> stems = {"haus", "baum",  "wald", "stra\xC3\x9F", "garten", "kind",
                                            "lauf", "spiel", "seh",  "gr\xC3\xBCn",  "alt",    "klein"};
    const std::vector<std::string> endings = {"", "e", "en", "er", "es", "ung", "lich", "keit"};
    Random random(7);
    std::vector<std::string> sentences;
    for (int i = 0; i < 600; ++i) {
        std::string sentence;
        const std::uint64_t words = 1 + random.below(9);
        for (std::uint64_t word = 0; word < words; ++word) {
            sentence +=
                (word > 0 ? " " : "") + stems[random.below(stems.size())] + endings[random.below(endings.size())];
        }
        sentences.push_back(sentence);
    }
    return sentences;
}

// Trains a vocabulary on sample_sentences; the path of the model.
inline std::string train_sample(const TemporaryFolder& folder, const VocabularyConfig& config, std::int64_t size) {
    std::string path = folder.path("sample" + std::to_string(static_cast<int>(config.type)) + ".spm");
    train_vocabulary_on(sample_sentences(), config, size, path);
    return path;
}

}  // namespace softalign

#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "config/config.h"
#include "text/train_vocabulary.h"

namespace softalign {

// make_vocabulary, written to `output`.
inline TrainedVocabulary train_vocabulary(const std::vector<std::string>& files, const VocabularyConfig& config,
                                          std::int64_t size, const std::string& output,
                                          BadLine on_bad_line = BadLine::error) {
    TrainedVocabulary result = make_vocabulary(files, config, size, on_bad_line);
    write_file_atomically(output, result.bytes);
    return result;
}

// The same on sentences in memory, which are lines of a file beside `output` meanwhile.
inline TrainedVocabulary train_vocabulary_on(const std::vector<std::string>& sentences, const VocabularyConfig& config,
                                             std::int64_t size, const std::string& output) {
    const std::filesystem::path text = output + ".text";
    std::ofstream file(text, std::ios::binary);
    for (const std::string& sentence : sentences) {
        file << sentence << '\n';
    }
    file.close();
    struct Removal {
        const std::filesystem::path& path;
        ~Removal() { std::filesystem::remove(path); }
    } removal{text};
    return train_vocabulary({text.string()}, config, size, output);
}

}  // namespace softalign

#pragma once

#include <string>
#include <unordered_map>

namespace softalign {

// Translations of single words.
class Dictionary {
public:
    Dictionary() = default;

    // A UTF-8 file, plain or gzip, of lines "source<TAB>target". Of a word with several lines the first counts. Throws
    // Error(data) naming file and line: what cannot be read, is not UTF-8 or is no such line.
    explicit Dictionary(const std::string& path);

    // The translation of a word, or the word itself.
    const std::string& translate(const std::string& word) const;

private:
    std::unordered_map<std::string, std::string> translations_;
};

}  // namespace softalign

#pragma once

#include <string>
#include <unordered_map>

namespace softalign {

// Translations of single words.
class Dictionary {
public:
    Dictionary() = default;

    // Reads a UTF-8 file, plain or gzip, of lines "source<TAB>target". The first line of a word counts. Throws
    // Error(data), naming file and line, for what cannot be read, is not UTF-8 or does not have this form.
    explicit Dictionary(const std::string& path);

    // The translation of a word, or the word itself if there is none.
    const std::string& translate(const std::string& word) const;

private:
    std::unordered_map<std::string, std::string> translations_;
};

}  // namespace softalign

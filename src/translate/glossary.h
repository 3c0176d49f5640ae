#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/tokenizer.h"

namespace softalign {

// Terms and how they are to be translated.
class Glossary {
public:
    Glossary() = default;

    // Reads a UTF-8 file, plain or gzip, of lines "source<TAB>target"; empty lines and lines that begin with # are
    // none. Throws Error(data), naming file and line, for what cannot be read, is not UTF-8 or does not have this form,
    // and for a target that the vocabulary cannot write.
    Glossary(const std::string& path, const Tokenizer& target);

    // Adds a term. Throws Error(data) for an empty one, and for a target that the vocabulary cannot write.
    void add(const std::string& source, const std::string& target, const Tokenizer& vocabulary);

    // The translations of the terms in a text, in order: of whole words, from left to right, the longest term first. A
    // term in small letters also stands for the same words with capital letters; of two terms that match, the one that
    // is spelled the same.
    std::vector<std::string> translations(std::string_view text) const;

    std::size_t size() const { return terms_.size(); }

private:
    using Words = std::vector<std::string>;

    std::map<Words, std::string> terms_;
    std::size_t longest_ = 0;  // in words
};

}  // namespace softalign

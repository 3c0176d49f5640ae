#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/text_range.h"
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

    // Adds a term. Throws Error(data) for an empty one, for one that has another target already, and for a target that
    // the vocabulary cannot write or that has more than 1000 bytes or a placeholder of the vocabulary.
    void add(const std::string& source, const std::string& target, const Tokenizer& vocabulary);

    struct Found {
        TextRange range;  // of the text
        std::string translation;
    };

    // The terms in a text, in order: whole words, or characters of scripts without spaces between words, from left to
    // right, the longest term first. Words with a hyphen, a dot, @ or & between them are one word, as are numbers with
    // a comma or a colon. Canonically equivalent spellings (NFC) are the same, and so are typographic signs and those
    // of ASCII (with_plain_signs). A term in small letters also stands for the same words with capital letters or
    // ligatures (Unicode's case folding); of two terms that match, the one that is spelled the same. Takes time for the
    // words of the text times those of the terms that begin like them.
    std::vector<Found> find(std::string_view text) const;

    std::size_t size() const { return size_; }

private:
    // What may follow a beginning of terms: each word, with the node it leads to.
    struct Node {
        std::map<std::string, std::size_t, std::less<>> next;
        std::optional<std::string> translation;  // of the term that ends here
    };

    // The longest term at a place of a text.
    struct Match {
        std::size_t words = 0;  // 0: none
        const std::string* translation = nullptr;
    };
    Match longest_at(const std::vector<std::string>& words, std::size_t begin, std::size_t root) const;
    std::optional<std::string>& translation_of(const std::vector<std::string>& words, std::size_t root);

    static constexpr std::size_t as_spelled = 0;  // the node that begins all terms
    static constexpr std::size_t folded = 1;      // that which begins those that case folding changes, folded
    std::vector<Node> nodes_ = std::vector<Node>(2);
    std::size_t size_ = 0;
};

}  // namespace softalign

#include "text/tags.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "text/vocabulary_message.h"
#include "text/words.h"

namespace softalign {

namespace {

using namespace vocabulary_message;

std::string variable_length(std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) {
        bytes += static_cast<char>((value & 0x7F) | 0x80);
    }
    return bytes + static_cast<char>(value);
}

std::string text_field(std::uint64_t number, std::string_view text) {
    return variable_length(number << 3 | 2) + variable_length(text.size()) + std::string(text);
}

// A piece as a field of the model: repeated fields may stand anywhere, so it goes to the end of the file.
std::string piece_field(std::string_view piece, std::uint32_t type) {
    const std::string score = variable_length(piece_score << 3 | 5) + std::string(sizeof(float), '\0');
    return text_field(model_pieces,
                      text_field(piece_text, piece) + score + variable_length(piece_type << 3) + variable_length(type));
}

bool is_tag(const std::string& piece, const std::string& tag) {
    return piece == tag || piece == std::string(space_symbol) + tag;
}

bool is_sign(char byte) {
    return std::ispunct(static_cast<unsigned char>(byte)) != 0;
}

bool is_between_signs(const std::string& tag) {
    return is_sign(tag.front()) && is_sign(tag.back()) && !std::all_of(tag.begin(), tag.end(), is_sign);
}

// Empty where the vocabulary has no piece for it. A space before the tag that has no piece is left out.
std::vector<std::int32_t> find_tag(const Tokenizer& tokenizer, const std::string& tag) {
    const std::vector<std::int32_t> ids = tokenizer.encode(tag);
    const auto place =
        std::find_if(ids.begin(), ids.end(), [&](std::int32_t id) { return is_tag(tokenizer.piece(id), tag); });
    if (place == ids.end()) {
        return {};
    }
    const bool whole = std::find(ids.begin(), ids.end(), tokenizer.special().unk) == ids.end();
    return whole ? ids : std::vector<std::int32_t>{*place};
}

}  // namespace

void require_unlike_words(const std::vector<std::string>& tags) {
    for (const std::string& tag : tags) {
        if (!tag.empty() && !is_between_signs(tag)) {
            throw Error(ExitCode::configuration, "data.tags: " + tag +
                                                     " could be part of a word of the text; write it between signs of "
                                                     "ASCII, such as <bt>");
        }
    }
}

VocabularyBytes with_tags(VocabularyBytes file, const std::vector<std::string>& tags) {
    for (const std::string& tag : tags) {
        if (tag.empty()) {
            continue;
        }
        const SentencePieceTokenizer tokenizer(file);
        const SpecialIds special = tokenizer.special();
        for (const std::int32_t id : {special.pad, special.unk, special.bos, special.eos}) {
            if (is_tag(tokenizer.piece(id), tag)) {
                throw Error(ExitCode::configuration,
                            "data.tags: " + tag + " already has a meaning in the vocabulary; choose another tag");
            }
        }
        if (!find_tag(tokenizer, tag).empty()) {
            continue;
        }
        const bool of_words = tokenizer.model() == VocabularyType::word;
        file.bytes += of_words ? piece_field(std::string(space_symbol) + tag, normal) : piece_field(tag, user_defined);
    }
    return file;
}

std::vector<std::int32_t> tag_ids(const Tokenizer& tokenizer, const std::string& tag) {
    std::vector<std::int32_t> ids = find_tag(tokenizer, tag);
    if (ids.empty()) {
        throw Error(ExitCode::configuration,
                    "data.tags: the vocabulary has no piece for " + tag +
                        ", or its normalisation changes that; write the tag as the vocabulary has its text, such as in "
                        "lower case");
    }
    return ids;
}

}  // namespace softalign

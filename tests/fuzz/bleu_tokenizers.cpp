// A text for the tokenizers of BLEU, chrF and TER.
#include "metrics/tokenizers.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "fuzz.h"

namespace softalign {

namespace {

bool is_utf8(std::string_view text) {
    return first_invalid_utf8(text) == 0;
}

std::string joined(const std::string& text) {
    std::string result;
    for (const std::string_view word : split_words(text)) {
        result += result.empty() ? "" : " ";
        result += word;
    }
    return result;
}

// Characters stay what they are when they are taken apart once more. 13a, intl and zh go over a text from left to
// right, and a mark that one pass leaves alone can be separated by the next, in sacreBLEU as here.
bool is_stable(BleuTokenizer tokenizer) {
    return tokenizer == BleuTokenizer::none || tokenizer == BleuTokenizer::character;
}

void check_bleu(std::string_view text, BleuTokenizer tokenizer) {
    const std::string tokens = tokenize_for_bleu(text, tokenizer);
    require(!is_utf8(text) || is_utf8(tokens), "tokens of UTF-8 are UTF-8");
    const bool decodes = tokenizer == BleuTokenizer::t13a &&
                         (text.find_first_of("&<") != std::string_view::npos || text.find("-\n") != std::string::npos);
    if (!decodes) {
        require(decode_without_spaces(tokens) == decode_without_spaces(text), "a tokenizer only adds white space");
    }
    require(!is_stable(tokenizer) || joined(tokenize_for_bleu(tokens, tokenizer)) == joined(tokens),
            "tokens stay what they are");
}

void check_ter(std::string_view text, const TerOptions& options) {
    const std::string tokens = tokenize_for_ter(text, options);
    require(!is_utf8(text) || is_utf8(tokens), "words of UTF-8 are UTF-8");
}

void check_text(std::string_view text) {
    require(encode_utf8(decode_utf8(text)) == text, "any bytes survive the way to code points and back");
    const std::string lowered = to_lower(text);
    require(to_lower(lowered) == lowered, "what is in lower case stays so");
    require(!is_utf8(text) || is_utf8(lowered), "lower case of UTF-8 is UTF-8");
    std::size_t letters = 0;
    for (const std::string_view word : split_words(text)) {
        require(!word.empty() && strip(word) == word, "words have no white space around them");
        letters += decode_utf8(word).size();
    }
    require(letters == decode_without_spaces(text).size(), "all but white space is in a word");
}

void run(std::string_view text) {
    check_text(text);
    for (const BleuTokenizer tokenizer :
         {BleuTokenizer::none, BleuTokenizer::t13a, BleuTokenizer::intl, BleuTokenizer::zh, BleuTokenizer::character}) {
        check_bleu(text, tokenizer);
    }
    for (int choice = 0; choice < 16; ++choice) {
        check_ter(text, {(choice & 1) != 0, (choice & 2) != 0, (choice & 4) != 0, (choice & 8) != 0});
    }
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}

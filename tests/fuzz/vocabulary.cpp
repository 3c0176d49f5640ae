// A vocabulary in the file format of SentencePiece.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/words.h"

namespace softalign {

namespace {

constexpr std::string_view texts[] = {
    "",    "a", "the cat  sat\xE3\x80\x80on the mat", "\xEF\xBC\xA1\xC3\xA4 \xE2\x96\x81<s></s>", "\xFF\x80 a\xC0",
    "aaaa"};

std::vector<std::string> spellings(const SentencePieceTokenizer& tokenizer, std::string_view text) {
    std::vector<std::string> pieces;
    for (const auto& [piece, id] : tokenizer.segment(text)) {
        pieces.push_back(id == tokenizer.special().unk ? piece : tokenizer.spelling(id));
    }
    return pieces;
}

void use(const SentencePieceTokenizer& tokenizer) {
    const std::int32_t size = tokenizer.size();
    for (std::int32_t id = 0; id < std::min(size, 300); ++id) {
        tokenizer.piece(id);
        tokenizer.score(id);
    }
    for (const std::string_view text : texts) {
        const std::vector<std::int32_t> ids = tokenizer.encode(text);
        for (const std::int32_t id : ids) {
            require(id >= 0 && id < size, "pieces are of the vocabulary");
        }
        const std::vector<std::string_view> words = tokenizer.words(text);
        for (const WordRange& range : word_ranges(words, spellings(tokenizer, text),
                                                  [&](std::string_view word) { return spellings(tokenizer, word); })) {
            require(range.end <= words.size() && range.begin + (words.empty() ? 0 : 1) <= range.end,
                    "every piece is of a word");
        }
        tokenizer.decode(ids);
        tokenizer.sample(text, 7);
    }
}

void run(std::string_view input) {
    MemoryFile memory;
    const std::string& path = memory.hold(input);
    for (const std::int64_t nbest : {4, -1}) {
        accepts([&] { use(SentencePieceTokenizer(path, {0.5, nbest})); });
    }
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "document/abbreviations.h"
#include "document/text_range.h"

namespace softalign {

// Finds the sentences of a text, by Unicode's rules (UAX #29) for its language and a list of abbreviations. A text
// without any capital letter may have sentences that begin with small ones; else a sentence does not. Not to be used
// by several threads at once.
class SentenceSplitter {
public:
    // `locale`: of the text, as ICU names it ("en", "de_CH", "zh-Hant"). `abbreviations`: a file with more of them
    // (Abbreviations::read); empty = none. Throws Error(usage) for a language that does not exist.
    explicit SentenceSplitter(const std::string& locale, const std::string& abbreviations = "");
    ~SentenceSplitter();
    SentenceSplitter(SentenceSplitter&&) noexcept;

    // The sentences, in order, without the white space around them; none of a blank text. REQUIRES: UTF-8.
    std::vector<TextRange> split(std::string_view text) const;

private:
    bool ends_sentence(std::string_view text, std::size_t at, bool is_small) const;

    struct Breaks;
    std::unique_ptr<Breaks> breaks_;
    Abbreviations abbreviations_;
};

// Whether ICU knows the language of a locale.
bool is_locale(const std::string& locale);

// The range without white space (Unicode's property White_Space) at its ends.
TextRange trimmed(std::string_view text, TextRange range);

}  // namespace softalign

#pragma once

#include <string>
#include <vector>

#include "document/mark_placement.h"
#include "document/marked_text.h"

namespace softalign {

// What a translation was made to begin with and to contain.
struct GivenText {
    std::string prefix;
    std::vector<std::string> phrases;
    std::vector<std::string> lost{};  // numbers of the source that a phrase translates otherwise
    std::vector<std::string> own{};   // numbers of phrases that come from no number of the source
};

// A translation in which each number of the source is to be found as often as there; its source has a copy for each
// number that is put in with the marks. Of a number that the translation lacks, the word that comes from it is
// replaced, such as "five" for 5, or another number that the source does not have; where no word does, the number
// becomes a copy. What a translation has too often loses the word that has least to do with it. Words such as "5th" and
// "5km" have the number too, and stay; those that the source has itself are not counted. A number that the translation
// has in another form (TranslatedWords::claim) is not lacking. Where either text has no spaces between words, nothing
// is changed: nothing says which part of it comes from a number. Words with placeholders stay. What was given stays as
// it is; a number that a word of the prefix mostly comes from is in it in some form.
LinkedTranslation with_numbers(const MarkedSentence& source, const std::string& translation, const WordLinks& links,
                               const GivenText& given = {});

}  // namespace softalign

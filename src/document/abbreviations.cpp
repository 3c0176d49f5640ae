#include "document/abbreviations.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "text/line_reader.h"

namespace softalign {

namespace {

constexpr std::string_view numeric_only = "#NUMERIC_ONLY#";

struct Language {
    std::string_view name;
    std::string_view always;
    std::string_view before_numbers;
};

// Only what hardly ever ends a sentence.
constexpr Language languages[] = {
    {"en",
     "Mr Mrs Ms Messrs Dr Prof Rev Hon St Ste Mt Ft Gen Col Maj Capt Cpt Lt Sgt Cpl Cmdr Adm Gov Sen Rep Pres Supt "
     "e.g i.e E.g I.e viz cf Cf vs v approx ca Jan Feb Mar Apr Aug Sept Sep Oct Nov Dec Fig Figs Eq Eqs Sec Ch Vol Ed "
     "Eds Ave "
     "Blvd",
     "No Nos no nos p pp Art Nr"},
    {"de",
     "Dr Prof Hr Hrn Fr Frl Dipl Ing Mag Abb Tab Kap Bd Hrsg hrsg Str St Jh z.B z.T u.a o.ä d.h i.d.R u.U v.a z B bzw "
     "ca evtl ggf inkl exkl max min Mio Mrd sog usf vgl Vgl Z.B D.h Jan Feb Mär Apr Aug Sept Okt Nov Dez geb gest Tel "
     "z.b z.t i.d.r u.u o.Ä m.E s.o i.S.v z.Hd ggü zzgl bzgl einschl gem Fa Fam Std Ziff",
     "Nr S Art Abs Bd"},
    {"fr",
     "M MM Mme Mmes Mlle Dr Pr Me St Ste av apr env ex cf Cf p.ex c.-à-d chap fig vol éd janv févr avr juill sept oct "
     "nov déc",
     "art n no p pp"},
    {"es",
     "Sr Sra Srta Sres Dr Dra D Da Prof Ud Uds Vd Vds p.ej P.ej cf Cf cap fig vol ed EE.UU Av Avda ene feb abr ago "
     "sept oct nov dic",
     "art n núm pág págs p pp"},
    {"it",
     "Sig Sigg Sig.ra Dott Dr Prof Ing Avv Arch On S p.es cfr Cfr cap fig vol ed gen feb apr ago sett ott nov dic",
     "art n pag pagg p pp"},
    {"nl",
     "dhr mevr mw dr prof ir ing drs Dr Prof St bijv bv d.w.z o.a m.b.t i.p.v ca vgl jan feb apr aug sept okt nov dec",
     "nr art blz p"},
    {"pt", "Sr Sra Srta Dr Dra D Prof Profa Eng V Exa p.ex cf Cf cap fig vol ed Av jan fev abr ago set out nov dez",
     "art n nº pág págs p pp"},
};

constexpr std::string_view with_ordinals[] = {"de", "cs", "da", "nb", "nn", "no", "fi", "hu",
                                              "pl", "sk", "sl", "hr", "et", "lv", "tr", "is"};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_capital_letter(std::string_view text) {
    std::int32_t at = 0;
    UChar32 character = 0;
    U8_NEXT(text.data(), at, static_cast<std::int32_t>(text.size()), character);
    return character > 0 && u_isupper(character) && at == static_cast<std::int32_t>(text.size());
}

}  // namespace

Abbreviations::Abbreviations(const std::string& language) : english_(language == "en") {
    const auto known = std::find_if(std::begin(languages), std::end(languages),
                                    [&](const Language& known_one) { return known_one.name == language; });
    if (known != std::end(languages)) {
        for (const auto& [list, before_numbers] :
             {std::make_pair(known->always, false), std::make_pair(known->before_numbers, true)}) {
            std::istringstream words{std::string(list)};
            for (std::string word; words >> word;) {
                add(word, before_numbers);
            }
        }
    }
    ordinals_ = std::find(std::begin(with_ordinals), std::end(with_ordinals), language) != std::end(with_ordinals);
}

void Abbreviations::read(const std::string& path) {
    LineReader reader(path);
    std::string line;
    while (reader.next(line)) {
        reader.require_utf8(line);
        std::istringstream columns(line);
        std::string word;
        std::string mark;
        std::string more;
        columns >> word >> mark >> more;
        if (word.empty() || word.front() == '#') {
            continue;
        }
        if ((!mark.empty() && mark != numeric_only) || !more.empty()) {
            throw Error(ExitCode::data, reader.name() + ":" + std::to_string(reader.line_number()) +
                                            ": not an abbreviation; write one on each line, with #NUMERIC_ONLY# behind "
                                            "it where it counts only before a number");
        }
        add(word, !mark.empty());
    }
}

void Abbreviations::add(std::string word, bool before_numbers) {
    if (word.back() == '.') {
        word.pop_back();
    }
    const auto [known, is_new] = words_.emplace(std::move(word), before_numbers);
    if (!is_new) {
        known->second = known->second && before_numbers;
    }
}

bool Abbreviations::continues(std::string_view word, std::string_view next) const {
    if (word.size() < 2 || word.back() != '.') {
        return false;
    }
    const std::string stem(word.substr(0, word.size() - 1));
    const auto known = words_.find(stem);
    if (known != words_.end()) {
        return !known->second || (!next.empty() && is_digit(next.front()));
    }
    if (ordinals_ && stem.size() <= 2 && std::all_of(stem.begin(), stem.end(), is_digit)) {
        return true;
    }
    return is_capital_letter(stem) && !(english_ && stem == "I");  // an initial
}

}  // namespace softalign

#include "document/abbreviations.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstddef>
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

// Only what hardly ever ends a sentence. What is an everyday word too counts before a number only.
constexpr Language languages[] = {
    {"en",
     "Mr Mrs Ms Messrs Dr Prof Rev Hon St Ste Mt Ft Gen Brig Col Maj Capt Cpt Lt Sgt Cpl Cmdr Adm Gov Sen Rep Pres "
     "Fr Supt "
     "Insp e.g i.e E.g I.e viz cf Cf vs v approx ca Feb Mar Apr Aug Sept Sep Oct Nov Dec Fig Figs Eq Eqs Sec Ch Vol "
     "Eds "
     "Ave Blvd",
     "No Nos no nos p pp Tel tel ext Chap chap Art Nr Jan Ed sec secs ch chs vol vols fig figs eq eqs tab par pt"},
    {"de",
     "Dr Prof Hr Hrn Fr Frl Dipl Ing Mag Abb Tab Bd Hrsg hrsg Str St Jh z.B z.T u.a o.ä d.h i.d.R u.U v.a z B bzw ca "
     "evtl ggf inkl exkl max Mio Mrd sog usf vgl Vgl Z.B D.h Jan Feb Mär Apr Aug Sept Okt Nov Dez geb gest Tel z.b z.t "
     "i.d.r u.u o.Ä m.E s.o i.S.v z.Hd ggü zzgl bzgl einschl gem Fa Fam Std Ziff Abschn Anm Rn Rdnr Tsd i.A i.V i.H.v "
     "i.S.d i.d.F v.Chr n.Chr lt u.ä u.Ä bes insb Az a.D a.a.O o.g U.a I.d.R Bzw Ca Evtl Ggf Inkl Exkl Zzgl Bzgl "
     "Einschl Insb Gem frdl Anh Urt Beschl Lt Aufl med habil Hl Gebr Kfm u a.d Anm.d v h.c d.M d.J",
     "Nr Nrn S Art Abs Bd Kap min Mo Di Mi Do Sa So Gl Stk"},
    {"fr",
     "tabl coll M MM Mme Mmes Mlle Mgr Dr Pr Me St Ste av apr env cf Cf p.ex c.-à-d chap fig éd Éd bd boul janv févr "
     "avr juill "
     "oct "
     "nov déc",
     "Tél tél art Art n no p pp vol sept ex"},
    {"es",
     "Sr Sra Srta Sres Dr Dra D Da Dña Prof Profa Ud Uds Vd Vds p.ej P.ej cf Cf cap fig vol ed EE Av Avda Sta Sto Gral "
     "Ing Lic Arq "
     "Excmo Excma Ilmo Ilma ene "
     "feb abr ago sept oct nov dic",
     "Tel tel Tfno art Art n núm pág págs p pp s"},
    {"it",
     "Sig Sigg Sig.ra Dott Dott.ssa Dr Prof Prof.ssa Ing Avv Arch On Rag Geom sig sigg sig.ra dott dott.ssa prof "
     "prof.ssa ing avv arch rag geom on dr Gen Cav Egr Preg Spett S p.es cfr Cfr cap fig vol ed gen feb apr ago sett "
     "ott "
     "nov dic",
     "art Art n N pag pagg p pp sec Tel tel"},
    {"nl",
     "dhr mevr mw dr prof ir drs Dhr Mevr Mw Mr Dr Prof Ir Ing Drs St bijv Bijv d.w.z o.a m.b.t i.p.v ca vgl v.Chr "
     "n.Chr jan feb "
     "apr "
     "aug sept okt nov dec",
     "nr art blz hfdst p Tel tel"},
    {"pt",
     "Sr Sra Srta Dr Dra D Prof Profa Eng V Exa Exmo Exma Sta Sto Pe Gen Arq p.ex cf Cf cap fig vol ed Av jan fev abr "
     "ago out nov",
     "art Art n nº pág págs p pp séc Séc Tel set dez"},
    {"ru", "ул Ул просп пл пер проф Проф акад Акад доц Доц ср Ср напр т.е т.к т.н",
     "Ст с стр Стр рис Рис табл Табл гл ст п пп кв корп д т тел Тел"},
};

// Capital letters that are no initials of a name, and may end a sentence.
constexpr std::string_view acronyms =
    "U.S U.K U.N E.U U.S.A U.A.E U.S.S.R D.C L.A N.Y N.J M.A B.A B.S M.D A.D B.C A.M P.M P.S S.A S.L B.V N.V";

// Words that go on where one of these follows.
struct Followed {
    std::string_view word;
    std::string_view by;
};
constexpr Followed followed[] = {
    {"Co", "KG KGaA OHG Ltd Inc LLC LP"},
    {"Cia", "Ltda Lda"},
    {"U.S",
     "Senate Senator Sen House Congress Congressman Congresswoman President Supreme Department Secretary Army Navy Air "
     "Marine Marines Coast Treasury Constitution District Court Attorney Embassy Ambassador Census Open Representative "
     "Rep Soccer Customs Government Federal State Bank Patent Food Postal Secret Forest Geological Steel Route "
     "Highway"},
    {"U.N", "Security General Secretary Human Children Charter"},
};

constexpr std::string_view with_ordinals[] = {"de", "cs", "da", "nb", "nn", "no", "fi", "hu",
                                              "pl", "sk", "sl", "hr", "et", "lv", "tr", "is"};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// "5", "XIX"; a single Roman digit may be the word I.
bool is_number(std::string_view word) {
    return is_digit(word.front()) || (word.size() > 1 && word.find_first_not_of("IVXLCDM") == std::string_view::npos);
}

// The letters that a text begins with.
std::string_view first_word(std::string_view text) {
    return text.substr(0, text.find_first_of(" \t.,;:!?()\"'-"));
}

bool has_word(std::string_view list, std::string_view word) {
    for (std::size_t at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) {
            return true;
        }
    }
    return false;
}

// "J", "J.R.R"
bool is_initials(std::string_view text) {
    const auto size = static_cast<std::int32_t>(text.size());
    for (std::int32_t at = 0; at < size; ++at) {
        UChar32 character = 0;
        U8_NEXT(text.data(), at, size, character);
        if (character <= 0 || !u_isupper(character) ||
            (at < size && (text[static_cast<std::size_t>(at)] != '.' || at + 1 == size))) {
            return false;
        }
    }
    return size > 0 && !has_word(acronyms, text);
}

// "Mr" of "MR"; itself where there is another than a capital ASCII letter.
std::string in_title_case(std::string word) {
    if (word.size() > 1 && std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) {
        std::transform(word.begin() + 1, word.end(), word.begin() + 1,
                       [](char c) { return static_cast<char>(c - 'A' + 'a'); });
    }
    return word;
}

}  // namespace

Abbreviations::Abbreviations(const std::string& language) : english_(language == "en"), german_(language == "de") {
    const bool has_foreign_ones = language == "ja" || language == "zh" || language == "ko";
    const auto known = std::find_if(std::begin(languages), std::end(languages), [&](const Language& known_one) {
        return known_one.name == (has_foreign_ones ? "en" : language);
    });
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
    const std::string_view stem = word.substr(0, word.size() - 1);
    const std::string_view follows = first_word(next);
    const bool before_number = !follows.empty() && is_number(follows);
    auto known = words_.find(std::string(stem));
    if (known == words_.end()) {
        known = words_.find(in_title_case(std::string(stem)));
    }
    if (known != words_.end()) {
        return !known->second || before_number;
    }
    if (german_ && before_number && stem.size() > 3 && stem.substr(stem.size() - 3) == "str") {
        return true;  // "Hauptstr. 5"
    }
    if (ordinals_ && !stem.empty() && stem.size() <= 2 && std::all_of(stem.begin(), stem.end(), is_digit)) {
        return true;
    }
    return std::any_of(std::begin(followed), std::end(followed),
                       [&](const Followed& one) {
                           return one.word == stem && !follows.empty() && has_word(one.by, follows);
                       }) ||
           (is_initials(stem) && !(english_ && stem == "I"));
}

}  // namespace softalign

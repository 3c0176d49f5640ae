#include "document/abbreviation_lists.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace softalign {

namespace {

constexpr AbbreviationLists languages[] = {
    {"en",
     "Mr Mrs Ms Messrs Dr Prof Rev Hon Ste Mt Ft Gen Brig Col Maj Capt Cpt Lt Sgt Cpl Cmdr Adm Gov Sen Rep Pres "
     "Fr Supt Insp e.g i.e viz cf vs v approx ca Fig Figs Eq Eqs Sec Ch Vol Eds E.g I.e Cf Vs Ca Approx",
     "Feb Mar Apr Aug Sept Sep Oct Nov Dec St Ave Blvd Rd Inc Ltd Corp Co Bros Jr Sr U.S U.N U.K E.U Dept Univ "
     "Assoc Assn Intl Natl Proc Acad Sci Suppl Civ Crim Jun Jul",
     "No Nos no nos p pp Tel tel ext Chap chap Art Nr Jan Ed sec secs ch chs vol vols fig figs eq eqs tab par "
     "pt al op Apt apt Bldg Rm Pt Ref ref Refs refs suppl Para para cl reg Reg min max est ver ser col cols fn "
     "Ext Op arts incl excl resp Supp avg Prop Thurs Tues Matt Deut Exod Stat Sect Paras Chaps Lett Amdt Sched "
     "Cong",
     "The A An This That These Those He She It They We You I His Her Its Their Our My Your In On At For From By "
     "With Without After Before When While As If Although Though Because Since Until During Over Between Among "
     "Despite According To Of And But Or So Yet Then There Here Now Not Yes Also However Moreover Furthermore "
     "Meanwhile Later Today Yesterday Tomorrow Some Many Most All Each Every Both Several Other Another Who "
     "What Where Why How Which Is Are Was Were Has Have Had Do Does Did Can Could Will Would Should Once Still "
     "Only Even Just Such Nor Unlike More About One No Nearly Finally Thus Therefore Instead Shares Analysts "
     "Investors Officials",
     "An He You So Do My To Will Can In On A Just Still No"},
    {"de",
     "Dr Prof Hr Hrn Fr Frl Dipl Ing Mag Abb Tab Bd Hrsg hrsg St z.B z.T d.h i.d.R u.U v.a z B bzw ca evtl ggf "
     "inkl exkl sog vgl geb gest Tel z.b z.t i.d.r u.u m.E s.o i.S.v z.Hd ggü zzgl bzgl einschl gem Fa Fam Ziff "
     "Abschn Anm Rn Rdnr i.A i.V i.H.v i.S.d i.d.F lt bes insb o.g frdl Anh Urt Beschl Aufl med habil Hl Gebr "
     "Kfm u a Anm.d v h.c bspw Bspw Bez vertr s max a.d Vgl Z.B Z.T D.h I.d.R Bzw Ca Evtl Ggf Inkl Exkl Zzgl "
     "Bzgl Einschl Insb Gem Lt Sog",
     "Jan Feb Mär Apr Aug Sept Okt Nov Dez Str Jh Jhd Mio Mrd Tsd Std v.Chr n.Chr u.a u.ä u.Ä o.ä o.Ä usf Az "
     "a.D a.a.O d d.M d.J Co Corp Inc Ltd U.a",
     "Nr Nrn S Art Abs Kap min Mo Di Mi Do Sa So Gl Stk al mind Kl Anl Bl Bj Gr resp Max Unterabs Erwgr Jahrg",
     "Der Die Das Den Dem Des Ein Eine Einen Einem Einer Er Sie Es Wir Ich Ihr Du Man Dies Diese Dieser Dieses "
     "Diesen Diesem In Im Am An Auf Aus Bei Beim Mit Nach Vor Für Zu Zum Zur Über Unter Durch Ohne Um Seit Aber "
     "Und Oder Doch Dann Da Dabei Dort Hier Heute Auch Als Wenn Wie Was Wer Wo Während Nachdem Obwohl Weil "
     "Damit Dazu Danach Nun Nur Noch Nicht Kein Keine Alle Viele Sein Seine Ihre Unser Jetzt Zudem Außerdem "
     "Allerdings Jedoch Trotzdem Später Seitdem Ist Hat",
     "In Im Am An Auf Zu Zum Zur Unter Der Die Den Dem Da Du Das Nach Weil"},
    {"fr",
     "tabl coll M MM Mme Mmes Mlle Mgr Dr Pr Me St Ste av apr env cf p.ex c.-à-d chap fig éd Éd bd boul Fig Cf "
     "P.ex Env",
     "janv févr avr juill oct nov déc Inc", "Tél tél Art art n no p pp vol sept ex al op réf Réf min max",
     "Le La Les L Un Une Des Du De Il Elle Ils Elles On Nous Vous Je Tu Ce Cette Ces Cet C Dans En Sur Pour Par "
     "Avec Sans Mais Et Ou Or Donc Puis Alors Ainsi Après Avant Depuis Pendant Lors Quand Si Comme Son Sa Ses "
     "Leur Leurs Notre Votre Mon Cependant Toutefois Enfin Selon Au Aux Que Qui À Y",
     "Le La Les L Des Du De Au Aux C Y On Si Son Sans"},
    {"es",
     "Sr Sra Srta Sres Dr Dra D Da Dña Prof Profa p.ej cf cap fig vol ed EE Av Avda Sta Sto Gral Ing Lic Arq "
     "Excmo Excma Ilmo Ilma gral prof aprox Fig P.ej Cf Aprox",
     "ene feb abr ago sept oct nov dic Ud Uds Vd Vds Cía Inc",
     "Tel tel Tfno tfno Art art n núm pág págs p pp s al op Núm Pág Págs máx mín Máx Mín Teléf teléf",
     "El La Los Las Un Una Unos Unas En De Del Al A Con Por Para Sin Sobre Desde Hasta Pero Y O Si No Se Su Sus "
     "Es Está Hay Fue Era Este Esta Estos Estas Ese Esa Esto Eso Él Ella Ellos Ellas Yo Tú Nosotros Usted "
     "Ustedes Cuando Como Donde Aunque Porque Entonces Luego Después Antes También Además Según Entre Durante "
     "Tras Ya Así Aquí Allí Hoy Ayer Mañana Cada Todo Todos Muchos Algunos Otro Otra Lo Le Les Me Te Nos",
     "El La Los Las De Del Al A Y O Se Es Le Lo Te"},
    {"it",
     "Sig Sigg Sig.ra Dott Dott.ssa Dr Prof Prof.ssa Ing Avv Arch On Rag Geom sig sigg sig.ra dott dott.ssa "
     "prof prof.ssa ing avv arch rag geom on dr Gen Cav Egr Preg Spett S p.es cfr cap fig vol ed Pres Fig Tab "
     "Cfr P.es",
     "gen feb apr ago sett ott nov dic Inc", "Art art n N pag pagg p pp sec tel al op sez Sez par max min",
     "Il Lo La I Gli Le Un Uno Una In Nel Nella Nello Nei Nelle A Al Alla Con Per Da Dal Dalla Di Del Della Su "
     "Sul Sulla Tra Fra Ma E O Se Non Si È Era Ha Egli Lui Lei Loro Noi Voi Io Tu Questo Questa Questi Queste "
     "Quello Quella Quando Come Dove Perché Poi Dopo Prima Anche Inoltre Infine Mentre Così Ora Oggi Ieri Qui "
     "Tutti Molti Alcuni Ogni Suo Sua Ci Vi",
     "Lo La Le I Da Dal Dalla Di Del Della A Al E O Si Vi Ma Prima"},
    {"nl",
     "Dhr dhr Mevr mevr Mw mw Dr dr Prof prof Ir ir Drs drs Mr Ing St bijv d.w.z o.a m.b.t i.p.v ca vgl Bijv Ca "
     "Vgl D.w.z O.a",
     "jan feb apr aug sept okt nov dec v.Chr n.Chr", "nr Art art blz hfdst p Tel tel al op",
     "De Het Een Hij Zij Ze Wij We Ik Jij Je U Er Dit Dat Deze Die In Op Aan Bij Met Van Voor Na Naar Om Over "
     "Onder Door Zonder Maar En Of Want Dus Toen Dan Daar Hier Nu Ook Als Wanneer Hoe Wat Wie Waar Omdat Hoewel "
     "Terwijl Sinds Tijdens Volgens Zijn Haar Hun Ons Onze Mijn Geen Niet Alle Veel Men",
     "De Het Van Voor In Op Aan Over Onder Die U En Dan"},
    {"pt",
     "Sr Sra Srta Dr Dra D Prof Profa Eng V Exa Exmo Exma Sta Sto Pe Gen Arq p.ex cf cap fig vol ed Av Cel Cap "
     "Fig Tab P.ex Cf",
     "jan fev abr ago out nov", "Art art n nº pág págs p pp Séc séc Tel tel set dez al op inc ap min máx mín",
     "O A Os As Um Uma Em No Na Nos Nas De Do Da Dos Das Ao À Com Por Para Sem Sobre Mas E Ou Se Não Ele Ela "
     "Eles Elas Eu Tu Nós Você Vocês Este Esta Esse Essa Isto Isso Aquele Aquela Quando Como Onde Porque Depois "
     "Antes Também Além Já Assim Aqui Hoje Ontem Cada Todo Todos Muitos Alguns Outro Seu Sua Foi Era É Há Está",
     "O A Os As De Do Da Dos Das E Em No Na Se"},
    {"ru", "ул Ул просп пл пер проф Проф акад Акад доц Доц ср Ср напр т.е т.к т.н им оз", "",
     "Ст ст с стр Стр рис Рис табл Табл гл Гл п пп кв корп д т тел Тел ч",
     "В На Он Она Они Оно Мы Вы Я Ты Это Этот Эта Эти Тот Та Те Но И А Или Если Когда Как Где Что Кто Чтобы "
     "Потом Затем После До При Для Из От По К С У О Об За Под Над Через Его Её Их Наш Ваш Мой Не Нет Да Уже Ещё "
     "Там Тут Здесь Сейчас Сегодня Вчера Так Также Однако Поэтому",
     "На До Та Те Да По"},
};

}  // namespace

const AbbreviationLists* abbreviation_lists(std::string_view language) {
    const auto* const found =
        std::find_if(std::begin(languages), std::end(languages),
                     [language](const AbbreviationLists& lists) { return lists.language == language; });
    return found == std::end(languages) ? nullptr : found;
}

}  // namespace softalign

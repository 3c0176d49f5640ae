"""The words of the demo grammar: English forms beside German ones.

Every English word has one German equivalent in each context the grammar puts it in, so that the English sentence
determines the German one.
"""

from collections import namedtuple

# German nouns: gender m, f or n; `oblique` is the singular outside the nominative where it differs (weak nouns);
# `genitive` is given for nouns that own something. `tags` say what the noun can be used for.
Noun = namedtuple("Noun", "en en_plural de gender de_plural oblique genitive tags")

# `second` and `third` are the du and er forms of the present without the separable prefix; `participle` is whole.
# `case` is that of the object ("acc", "dat" or ""), `preposition` belongs to it where there is one; `particle` is
# the English one ("up"). `tags` name the nouns that can be its object.
Verb = namedtuple(
    "Verb",
    "en en_third en_past particle en_preposition prefix infinitive second third participle auxiliary first "
    "reflexive preposition case imperative tags",
)

Adjective = namedtuple("Adjective", "en en_comparative de stem comparative tags")


def _noun(text, tags):
    """`text`: English singular, plural, German singular, gender, plural[, oblique or -[, genitive]]."""
    en, en_plural, de, gender, de_plural, *rest = text.split()
    oblique = rest[0] if rest and rest[0] != "-" else de
    genitive = rest[1] if len(rest) > 1 else (de if gender == "f" else "")
    return Noun(en, en_plural, de, gender, de_plural, oblique, genitive, frozenset(tags.split()))


_PEOPLE = """
man men Mann m Männer - Mannes
woman women Frau f Frauen
child children Kind n Kinder - Kindes
boy boys Junge m Jungen Jungen Jungen
girl girls Mädchen n Mädchen - Mädchens
teacher teachers Lehrer m Lehrer - Lehrers
doctor doctors Arzt m Ärzte - Arztes
student students Student m Studenten Studenten Studenten
policeman policemen Polizist m Polizisten Polizisten Polizisten
nurse nurses Krankenschwester f Krankenschwestern
"""

_RELATIVES = """
brother brothers Bruder m Brüder - Bruders
sister sisters Schwester f Schwestern
mother mothers Mutter f Mütter
father fathers Vater m Väter - Vaters
daughter daughters Tochter f Töchter
son sons Sohn m Söhne - Sohnes
aunt aunts Tante f Tanten
uncle uncles Onkel m Onkel - Onkels
friend friends Freund m Freunde - Freundes
neighbour neighbours Nachbar m Nachbarn Nachbarn Nachbarn
colleague colleagues Kollege m Kollegen Kollegen Kollegen
"""

_THINGS = (
    ("table tables Tisch m Tische", "goods heavy"),
    ("chair chairs Stuhl m Stühle", "goods heavy mend"),
    ("letter letters Brief m Briefe", "read written flat open carry"),
    ("apple apples Apfel m Äpfel", "food goods"),
    ("cake cakes Kuchen m Kuchen", "food goods"),
    ("key keys Schlüssel m Schlüssel", "flat lost carry"),
    ("suitcase suitcases Koffer m Koffer", "goods open upright carry heavy"),
    ("coat coats Mantel m Mäntel", "goods clothes carry"),
    ("hat hats Hut m Hüte", "goods worn lost carry"),
    ("computer computers Computer m Computer", "goods mend switch"),
    ("lamp lamps Lampe f Lampen", "goods mend switch upright"),
    ("bag bags Tasche f Taschen", "goods lost upright carry open"),
    ("newspaper newspapers Zeitung f Zeitungen", "goods read flat carry"),
    ("flower flowers Blume f Blumen", "goods paint"),
    ("clock clocks Uhr f Uhren", "goods mend"),
    ("jacket jackets Jacke f Jacken", "goods clothes carry"),
    ("door doors Tür f Türen", "open shut"),
    ("book books Buch n Bücher", "goods read written flat carry"),
    ("car cars Auto n Autos", "goods mend wash"),
    ("bicycle bicycles Fahrrad n Fahrräder", "goods mend wash"),
    ("window windows Fenster n Fenster", "open shut clean"),
    ("picture pictures Bild n Bilder", "goods paint carry"),
    ("present presents Geschenk n Geschenke", "goods open flat carry"),
    ("dress dresses Kleid n Kleider", "goods clothes wash"),
    ("shirt shirts Hemd n Hemden", "goods clothes wash"),
    ("dog dogs Hund m Hunde", "animal wash carry paint"),
    ("cat cats Katze f Katzen", "animal paint"),
)

# in, at, front, behind, into, to and through are the keys of LOCATIVES and DIRECTIONS that suit the place.
_PLACES = (
    ("garden gardens Garten m Gärten", "in into behind"),
    ("park parks Park m Parks", "in into through"),
    ("forest forests Wald m Wälder", "in into through"),
    ("station stations Bahnhof m Bahnhöfe", "at to front behind"),
    ("city cities Stadt f Städte", "in into visited through"),
    ("school schools Schule f Schulen", "in into to front built"),
    ("kitchen kitchens Küche f Küchen", "in into tidy clean"),
    ("library libraries Bibliothek f Bibliotheken", "in to front built visited"),
    ("village villages Dorf n Dörfer", "in into visited through"),
    ("office offices Büro n Büros", "in into tidy clean"),
    ("museum museums Museum n Museen", "in into to front built visited"),
    ("restaurant restaurants Restaurant n Restaurants", "in into to built"),
    ("house houses Haus n Häuser", "in into front behind visited built"),
)

_VEHICLES = (("train trains Zug m Züge", "vehicle"), ("bus buses Bus m Busse", "vehicle"))
_FURNITURE = {"table": "on under", "chair": "on under", "bag": "in", "suitcase": "in"}
_MASS = (
    ("coffee - Kaffee m -", "drink hot"),
    ("tea - Tee m -", "drink hot"),
    ("milk - Milch f -", "drink hot"),
    ("water - Wasser n -", "drink hot"),
    ("bread - Brot n -", "eaten dry"),
    ("cheese - Käse m -", "eaten dry"),
)


def _person_tags(line):
    word = line.split()[0]
    return "person" + (" adult" if word not in ("child", "boy", "girl") else "") + (
        " single" if word in ("mother", "father") else "")


def _thing_tags(text, tags):
    kind = "" if "animal" in tags.split() else "thing "
    return kind + tags + (" colour" if text.split()[0] in _COLOURED else "")


_COLOURED = "table chair suitcase coat hat lamp bag flower jacket door car bicycle dress shirt".split()

PEOPLE = tuple(_noun(line, _person_tags(line)) for line in _PEOPLE.strip().splitlines())
RELATIVES = tuple(_noun(line, _person_tags(line)) for line in _RELATIVES.strip().splitlines())
THINGS = tuple(_noun(text, _thing_tags(text, tags)) for text, tags in _THINGS)
PLACES = tuple(_noun(text, "place " + tags) for text, tags in _PLACES)
VEHICLES = tuple(_noun(text, tags) for text, tags in _VEHICLES)
MASS = tuple(_noun(text, "mass " + tags) for text, tags in _MASS)
FURNITURE = tuple((noun, _FURNITURE[noun.en].split()) for noun in THINGS if noun.en in _FURNITURE)
DRESS = next(noun for noun in THINGS if noun.en == "dress")
# Teachers, doctors and students named after a verb of being take the gender of the subject.
PROFESSIONS = (
    ("teacher", "Lehrer", "Lehrerin"),
    ("doctor", "Arzt", "Ärztin"),
    ("student", "Student", "Studentin"),
    ("baker", "Bäcker", "Bäckerin"),
)

# Name, gender; the names are the same in both languages.
NAMES = (
    ("Anna", "f"), ("Maria", "f"), ("Julia", "f"), ("Lena", "f"),
    ("Peter", "m"), ("Thomas", "m"), ("Paul", "m"), ("Max", "m"),
)  # fmt: skip
SURNAMES = ("Weber", "Schmidt", "Müller")
CITIES = (("Berlin", "Berlin"), ("Hamburg", "Hamburg"), ("Munich", "München"), ("Vienna", "Wien"))


def _adjective(text, tags):
    """`text`: English, German[, stem][; English comparative, German comparative], underscores for blanks."""
    words, _, comparatives = text.partition(";")
    en, de, *stem = words.split()
    en_comparative, comparative = (w.replace("_", " ") for w in comparatives.split()) if comparatives else ("", "")
    return Adjective(en, en_comparative, de, stem[0] if stem else de, comparative, frozenset(tags.split()))


ADJECTIVES = (
    _adjective("old alt; older älter", "adult thing place animal vehicle"),
    _adjective("young jung; younger jünger", "adult animal"),
    _adjective("tall groß; taller größer", "person"),
    _adjective("big groß; bigger größer", "thing place animal"),
    _adjective("small klein; smaller kleiner", "thing place animal"),
    _adjective("friendly freundlich; friendlier freundlicher", "person"),
    _adjective("rich reich; richer reicher", "person"),
    _adjective("clever klug; cleverer klüger", "person animal"),
    _adjective("tired müde müd", "person"),
    _adjective("ill krank", "person"),
    _adjective("happy glücklich", "person"),
    _adjective("famous berühmt; more_famous berühmter", "person"),
    _adjective("new neu; newer neuer", "thing place vehicle"),
    _adjective("beautiful schön; more_beautiful schöner", "thing place animal"),
    _adjective("expensive teuer teur; more_expensive teurer", "goods"),
    _adjective("cheap billig; cheaper billiger", "goods"),
    _adjective("heavy schwer; heavier schwerer", "heavy"),
    _adjective("long lang; longer länger", "read"),
    _adjective("interesting interessant; more_interesting interessanter", "read"),
    _adjective("modern modern", "built vehicle"),
    _adjective("famous berühmt", "visited"),
    _adjective("red rot", "colour"),
    _adjective("blue blau", "colour"),
    _adjective("green grün", "colour"),
    _adjective("black schwarz", "colour animal"),
    _adjective("white weiß", "colour animal"),
    _adjective("dark dunkel dunkl", "colour"),
    _adjective("cold kalt", "hot"),
    _adjective("hot heiß", "hot"),
    _adjective("fresh frisch", "dry"),
)

def _verb(english, german, case, tags, imperative=""):
    """`english`: base third past [+particle] [>preposition]; underscores for blanks.
    `german`: [prefix|]infinitive second third participle [sein] [sich] [>preposition] [ich=form]."""
    en, third, past, *en_rest = english.replace("_", "\0").split()
    en_parts = {word[0]: word[1:] for word in en_rest}
    infinitive, second, de_third, participle, *rest = german.split()
    prefix, bar, base = infinitive.partition("|")
    extra = {word[0]: word[1:] for word in rest if word[0] == ">"}
    first = next((word[4:] for word in rest if word.startswith("ich=")), "")
    form = (en, third, past, en_parts.get("+", ""), en_parts.get(">", ""))
    return Verb(
        *(word.replace("\0", " ") for word in form),
        prefix if bar else "", base if bar else infinitive, second, de_third, participle,
        "sein" if "sein" in rest else "haben", first, "sich" in rest, extra.get(">", ""), case, imperative,
        tuple(tags.split()),
    )  # fmt: skip


TRANSITIVE = (
    _verb("see sees saw", "sehen siehst sieht gesehen", "acc", "person goods read animal visited"),
    _verb("buy buys bought", "kaufen kaufst kauft gekauft", "acc", "goods", "Kauf"),
    _verb("sell sells sold", "verkaufen verkaufst verkauft verkauft", "acc", "goods", "Verkauf"),
    _verb("look looks looked >for", "suchen suchst sucht gesucht", "acc", "person goods lost animal"),
    _verb("find finds found", "finden findest findet gefunden", "acc", "goods lost animal"),
    _verb("read reads read", "lesen liest liest gelesen", "acc", "read", "Lies"),
    _verb("write writes wrote", "schreiben schreibst schreibt geschrieben", "acc", "written", "Schreib"),
    _verb("open opens opened", "öffnen öffnest öffnet geöffnet", "acc", "open", "Öffne"),
    _verb("clean cleans cleaned", "putzen putzt putzt geputzt", "acc", "clean", "Putz"),
    _verb("repair repairs repaired", "reparieren reparierst repariert repariert", "acc", "mend", "Repariere"),
    _verb("wear wears wore", "tragen trägst trägt getragen", "acc", "clothes worn"),
    _verb("visit visits visited", "besuchen besuchst besucht besucht", "acc", "person visited", "Besuch"),
    _verb("ask asks asked", "fragen fragst fragt gefragt", "acc", "person", "Frag"),
    _verb("eat eats ate", "essen isst isst gegessen", "acc", "food", "Iss"),
    _verb("forget forgets forgot", "vergessen vergisst vergisst vergessen", "acc", "carry"),
    _verb("lose loses lost", "verlieren verlierst verliert verloren", "acc", "lost"),
    _verb("wash washes washed", "waschen wäschst wäscht gewaschen", "acc", "wash", "Wasch"),
    _verb("paint paints painted", "malen malst malt gemalt", "acc", "paint", "Mal"),
    _verb("understand understands understood", "verstehen verstehst versteht verstanden", "acc", "person read"),
    _verb("meet meets met", "treffen triffst trifft getroffen", "acc", "person", "Triff"),
    _verb("call calls called", "an|rufen rufst ruft angerufen", "acc", "person", "Ruf"),
    _verb("pick picks picked +up", "ab|holen holst holt abgeholt", "acc", "person", "Hol"),
    _verb("invite invites invited", "ein|laden lädst lädt eingeladen", "acc", "person", "Lade"),
    _verb("tidy tidies tidied +up", "auf|räumen räumst räumt aufgeräumt", "acc", "tidy", "Räum"),
    _verb("take takes took +along", "mit|nehmen nimmst nimmt mitgenommen", "acc", "carry", "Nimm"),
    _verb("put puts put +on", "an|ziehen ziehst zieht angezogen", "acc", "clothes", "Zieh"),
    _verb("turn turns turned +on", "ein|schalten schaltest schaltet eingeschaltet", "acc", "switch", "Schalte"),
    _verb("turn turns turned +off", "aus|schalten schaltest schaltet ausgeschaltet", "acc", "switch", "Schalte"),
    _verb("close closes closed", "zu|machen machst macht zugemacht", "acc", "shut", "Mach"),
)
# States do not go with can, will or an order.
STATES = (
    _verb("like likes liked", "mögen magst mag gemocht ich=mag", "acc", "person goods animal read"),
    _verb("need needs needed", "brauchen brauchst braucht gebraucht", "acc", "goods"),
    _verb("know knows knew", "kennen kennst kennt gekannt", "acc", "person visited"),
    _verb("have has had", "haben hast hat gehabt", "acc", "goods animal"),
)
HAVE = STATES[3]
CONSUME = (
    _verb("drink drinks drank", "trinken trinkst trinkt getrunken", "acc", "drink", "Trink"),
    _verb("eat eats ate", "essen isst isst gegessen", "acc", "eaten", "Iss"),
    _verb("buy buys bought", "kaufen kaufst kauft gekauft", "acc", "drink dry", "Kauf"),
)
DATIVE = (
    _verb("help helps helped", "helfen hilfst hilft geholfen", "dat", "person", "Hilf"),
    _verb("thank thanks thanked", "danken dankst dankt gedankt", "dat", "person", "Dank"),
    _verb("answer answers answered", "antworten antwortest antwortet geantwortet", "dat", "person", "Antworte"),
    _verb("follow follows followed", "folgen folgst folgt gefolgt sein", "dat", "person", "Folg"),
    _verb("trust trusts trusted", "vertrauen vertraust vertraut vertraut", "dat", "person"),
)
DITRANSITIVE = (
    _verb("give gives gave", "geben gibst gibt gegeben", "acc", "goods read", "Gib"),
    _verb("show shows showed", "zeigen zeigst zeigt gezeigt", "acc", "goods read", "Zeig"),
    _verb("send sends sent", "schicken schickst schickt geschickt", "acc", "flat read", "Schick"),
    _verb("bring brings brought", "bringen bringst bringt gebracht", "acc", "carry food", "Bring"),
    _verb("offer offers offered", "an|bieten bietest bietet angeboten", "acc", "food", "Biete"),
)
PREPOSITIONAL = (
    _verb("wait waits waited >for", "warten wartest wartet gewartet >auf", "acc", "person vehicle", "Warte"),
    _verb("think thinks thought >of", "denken denkst denkt gedacht >an", "acc", "person visited"),
    _verb("talk talks talked >to", "sprechen sprichst spricht gesprochen >mit", "dat", "person", "Sprich"),
    _verb("dream dreams dreamt >of", "träumen träumst träumt geträumt >von", "dat", "goods visited"),
    _verb("remember remembers remembered", "erinnern erinnerst erinnert erinnert sich >an", "acc", "person visited"),
    _verb("look looks looked >forward_to", "freuen freust freut gefreut sich >auf", "acc", "visited food"),
)
INTRANSITIVE = (
    _verb("sleep sleeps slept", "schlafen schläfst schläft geschlafen", "", "place"),
    _verb("work works worked", "arbeiten arbeitest arbeitet gearbeitet", "", "place company"),
    _verb("sing sings sang", "singen singst singt gesungen", "", "place company manner"),
    _verb("dance dances danced", "tanzen tanzt tanzt getanzt", "", "place company manner"),
    _verb("play plays played", "spielen spielst spielt gespielt", "", "place company manner"),
    _verb("swim swims swam", "schwimmen schwimmst schwimmt geschwommen sein", "", "company manner"),
    _verb("get gets got +up", "auf|stehen stehst steht aufgestanden sein", "", ""),
    _verb("fall falls fell +asleep", "ein|schlafen schläfst schläft eingeschlafen sein", "", "place"),
    _verb("wake wakes woke +up", "auf|wachen wachst wacht aufgewacht sein", "", ""),
    _verb("come comes came +back", "zurück|kommen kommst kommt zurückgekommen sein", "", ""),
    _verb("go goes went +shopping", "ein|kaufen kaufst kauft eingekauft", "", "company"),
    _verb("sit sits sat +down", "setzen setzt setzt gesetzt sich", "", ""),
)
GO = _verb("go goes went", "gehen gehst geht gegangen sein", "", "", "Geh")
RUN = _verb("run runs ran", "rennen rennst rennt gerannt sein", "", "", "Renn")
TRAVEL = _verb("travel travels travelled", "fahren fährst fährt gefahren sein", "", "", "Fahr")
COME = _verb("come comes came", "kommen kommst kommt gekommen sein", "", "", "Komm")
LIVE = _verb("live lives lived", "wohnen wohnst wohnt gewohnt", "", "")
STAND = _verb("stand stands stood", "stehen stehst steht gestanden", "", "upright")
LIE = _verb("lie lies lay", "liegen liegst liegt gelegen", "", "flat")
PUT = _verb("put puts put", "stellen stellst stellt gestellt", "acc", "upright", "Stell")
LAY = _verb("lay lays laid", "legen legst legt gelegt", "acc", "flat", "Leg")
DEPART = _verb("depart departs departed", "ab|fahren fährst fährt abgefahren sein", "", "")
ARRIVE = _verb("arrive arrives arrived", "an|kommen kommst kommt angekommen sein", "", "")
RAIN = _verb("rain rains rained", "regnen regnest regnet geregnet", "", "")
SNOW = _verb("snow snows snowed", "schneien schneist schneit geschneit", "", "")
COST = _verb("cost costs cost", "kosten kostest kostet gekostet", "", "")
BE = _verb("be is was", "sein bist ist gewesen sein", "", "")
SAY = (
    _verb("say says said", "sagen sagst sagt gesagt", "", ""),
    _verb("think thinks thought", "denken denkst denkt gedacht", "", ""),
    _verb("believe believes believed", "glauben glaubst glaubt geglaubt", "", ""),
    _verb("know knows knew", "wissen weißt weiß gewusst ich=weiß", "", ""),
    _verb("hope hopes hoped", "hoffen hoffst hofft gehofft", "", ""),
)
ASK = _verb("ask asks asked", "fragen fragst fragt gefragt", "", "")
KNOW, HOPE = SAY[3:]
TRY = (
    _verb("try tries tried", "versuchen versuchst versucht versucht", "", ""),
    _verb("forget forgets forgot", "vergessen vergisst vergisst vergessen", "", ""),
    _verb("promise promises promised", "versprechen versprichst verspricht versprochen", "", ""),
    _verb("begin begins began", "beginnen beginnst beginnt begonnen", "", ""),
)

# English preposition, German preposition; the case comes from what is meant: place (dative) or goal (accusative).
LOCATIVES = {
    "in": ("in", "in"), "at": ("at", "an"), "front": ("in front of", "vor"), "behind": ("behind", "hinter"),
    "on": ("on", "auf"), "under": ("under", "unter"),
}  # fmt: skip
DIRECTIONS = {"into": ("into", "in", "acc"), "to": ("to", "zu", "dat"), "through": ("through", "durch", "acc")}

# English, German, the tenses it goes with (a present, p past, f future and modals).
TIMES = (
    ("today", "heute", "apf"), ("now", "jetzt", "a"), ("yesterday", "gestern", "p"), ("tomorrow", "morgen", "f"),
    ("every day", "jeden Tag", "a"), ("yesterday evening", "gestern Abend", "p"), ("next week", "nächste Woche", "f"),
    ("tomorrow morning", "morgen früh", "f"), ("last week", "letzte Woche", "p"),
    ("in the evening", "am Abend", "apf"), ("in the morning", "am Morgen", "apf"), ("in summer", "im Sommer", "apf"),
)  # fmt: skip
DAYS = (
    ("Monday", "Montag"), ("Tuesday", "Dienstag"), ("Wednesday", "Mittwoch"), ("Thursday", "Donnerstag"),
    ("Friday", "Freitag"), ("Saturday", "Samstag"), ("Sunday", "Sonntag"),
)  # fmt: skip
FREQUENCY = (("often", "oft"), ("always", "immer"), ("sometimes", "manchmal"), ("never", "nie"))
MANNER = (("well", "gut"), ("quickly", "schnell"), ("alone", "allein"))
NUMBERS = (
    ("two", "zwei"), ("three", "drei"), ("four", "vier"), ("five", "fünf"), ("six", "sechs"), ("seven", "sieben"),
    ("eight", "acht"), ("nine", "neun"), ("ten", "zehn"), ("eleven", "elf"), ("twelve", "zwölf"),
)  # fmt: skip
UNITS = (("one", "ein"),) + NUMBERS[:8]
TENS = (("twenty", "zwanzig"), ("thirty", "dreißig"), ("forty", "vierzig"))
PRICES = (15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90, 100, 120, 150, 200, 250, 300, 500)
PERIODS = (("hour", "Stunde", "Stunden"), ("day", "Tag", "Tage"), ("week", "Woche", "Wochen"))

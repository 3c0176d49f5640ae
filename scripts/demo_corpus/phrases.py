"""Noun phrases in both languages: articles, adjective endings, pronouns, names."""

from .lexicon import NAMES, TENS, UNITS, NUMBERS

CASES = ("nom", "acc", "dat", "gen")
# Endings by case (rows) and masculine, feminine, neuter, plural (columns).
_COLUMNS = "mfnp"


def _endings(nom, acc, dat, gen):
    rows = {case: text.split() for case, text in zip(CASES, (nom, acc, dat, gen))}
    return {(c, g): rows[c][i].strip("-") for c in CASES for i, g in enumerate(_COLUMNS)}


THE = _endings("der die das die", "den die das die", "dem der dem den", "des der des der")
_DER_WORD = _endings("er e es e", "en e es e", "em er em en", "es er es er")  # dieser, jeder, alle
_EIN_WORD = _endings("- e - e", "en e - e", "em er em en", "es er es er")  # ein, kein, mein
_WEAK = _endings("e e e en", "en e e en", "en en en en", "en en en en")
_MIXED = _endings("er e es en", "en e es en", "en en en en", "en en en en")
_STRONG = _endings("er e es e", "en e es e", "em er em en", "en er en er")
RELATIVE = _endings("der die das die", "den die das die", "dem der dem denen", "dessen deren dessen deren")

POSSESSIVES = {"my": "mein", "your": "dein", "his": "sein", "her": "ihr", "our": "unser", "their": "ihr"}
_DER_WORDS = {"this": "dies", "these": "dies", "every": "jed", "all": "all"}
_EIN_WORDS = dict(POSSESSIVES, a="ein", no="kein")

# English subject and object; German nominative, accusative, dative, reflexive; person; plural.
PRONOUNS = {
    "I": ("I", "me", "ich", "mich", "mir", "mich", 1, False),
    "you": ("you", "you", "du", "dich", "dir", "dich", 2, False),
    "he": ("he", "him", "er", "ihn", "ihm", "sich", 3, False),
    "she": ("she", "her", "sie", "sie", "ihr", "sich", 3, False),
    "we": ("we", "us", "wir", "uns", "uns", "uns", 1, True),
    "they": ("they", "them", "sie", "sie", "ihnen", "sich", 3, True),
}
_IT = {"m": ("er", "ihn", "ihm"), "f": ("sie", "sie", "ihr"), "n": ("es", "es", "ihm")}

# German prepositions that melt into a following definite article.
_CONTRACTIONS = {
    "in dem": "im", "in das": "ins", "an dem": "am", "zu dem": "zum", "zu der": "zur", "von dem": "vom",
}  # fmt: skip


class Phrase:
    """A noun phrase: what it looks like in English and in each German case, and what agrees with it."""

    def __init__(self, en, de, person=3, plural=False, gender="m", kind="noun", en_object=None, reflexive="sich"):
        self.en = en
        self.en_object = en if en_object is None else en_object
        self.de = de
        self.person = person
        self.plural = plural
        self.gender = gender
        self.kind = kind  # noun, name or pronoun
        self.reflexive = reflexive
        self.indefinite = False
        self.negated = None  # the German phrase with kein, where the phrase is negated that way
        self.human = False
        self.noun = None
        self.adjectives = ()

    @property
    def column(self):
        """The key of agreement: m, f, n, or p for the plural."""
        return "p" if self.plural else self.gender

    @property
    def english_third(self):
        return self.person == 3 and not self.plural


def english_article(following):
    return "an" if following[0].lower() in "aeiou" else "a"


def german_noun(noun, case, plural):
    if plural:
        needs_n = case == "dat" and noun.de_plural[-1] not in "ns"
        return noun.de_plural + ("n" if needs_n else "")
    if case == "nom":
        return noun.de
    if case == "gen":
        return noun.genitive
    return noun.oblique


def _german_determiner(determiner, case, column):
    """The German determiner and the table its adjectives take their endings from."""
    if determiner == "the":
        return THE[case, column], _WEAK
    if determiner in _DER_WORDS:
        return _DER_WORDS[determiner] + _DER_WORD[case, column], _WEAK
    if determiner in _EIN_WORDS:
        return _EIN_WORDS[determiner] + _EIN_WORD[case, column], _MIXED
    if determiner == "many":
        return "viel" + _STRONG[case, column], _STRONG
    return dict(NUMBERS).get(determiner, determiner if determiner.isdigit() else ""), _STRONG


def _german(noun, determiner, adjectives, plural, mass):
    column = "p" if plural else noun.gender
    forms = {}
    for case in CASES:
        if case == "gen" and (mass or not noun.genitive):
            continue
        word, table = _german_determiner(determiner, case, column)
        parts = [word] + [a.stem + table[case, column] for a in adjectives] + [german_noun(noun, case, plural)]
        forms[case] = " ".join(p for p in parts if p)
    return forms


def noun_phrase(noun, determiner, adjectives=(), plural=False):
    """`determiner`: the, a, this, these, every, all, many, a possessive, a number, or "" for none."""
    mass = noun.en_plural == "-"
    words = [a.en for a in adjectives] + [noun.en_plural if plural else noun.en]
    article = english_article(words[0]) if determiner == "a" else determiner
    phrase = Phrase(" ".join(w for w in [article] + words if w), _german(noun, determiner, adjectives, plural, mass))
    phrase.plural, phrase.gender, phrase.noun, phrase.adjectives = plural, noun.gender, noun, tuple(adjectives)
    phrase.human = "person" in noun.tags
    phrase.indefinite = determiner in ("", "a", "many") or determiner in dict(NUMBERS) or determiner.isdigit()
    if determiner in ("", "a"):
        phrase.negated = _german(noun, "no", adjectives, plural, mass)
    return phrase


def pronoun(english):
    en, en_object, nom, acc, dat, reflexive, person, plural = PRONOUNS[english]
    gender = "f" if english == "she" else "m"
    phrase = Phrase(en, {"nom": nom, "acc": acc, "dat": dat}, person, plural, gender, "pronoun", en_object, reflexive)
    phrase.human = True
    return phrase


def pronoun_for(antecedent):
    """He, she, it or they, in German by the gender of the antecedent's noun."""
    if antecedent.plural:
        return pronoun("they")
    if antecedent.human:
        return pronoun("she" if antecedent.gender == "f" else "he")
    nom, acc, dat = _IT[antecedent.gender]
    return Phrase("it", {"nom": nom, "acc": acc, "dat": dat}, gender=antecedent.gender, kind="pronoun")


def name_phrase(name):
    gender = dict(NAMES)[name]
    genitive = name + ("'" if name[-1] in "sxz" else "s")
    phrase = Phrase(name, dict.fromkeys(("nom", "acc", "dat"), name), gender=gender, kind="name")
    phrase.de["gen"] = genitive
    phrase.human = True
    return phrase


def title_phrase(surname, gender):
    """Mr and Mrs: Herr is a weak noun."""
    title, nom, oblique = ("Mr", "Herr", "Herrn") if gender == "m" else ("Mrs", "Frau", "Frau")
    de = {case: "%s %s" % (nom if case == "nom" else oblique, surname) for case in ("nom", "acc", "dat")}
    phrase = Phrase("%s %s" % (title, surname), de, gender=gender, kind="name")
    phrase.human = True
    return phrase


def both(first, second):
    """Two phrases joined by and."""
    de = {case: "%s und %s" % (first.de[case], second.de[case]) for case in ("nom", "acc", "dat")}
    phrase = Phrase("%s and %s" % (first.en, second.en), de, plural=True)
    phrase.human = True
    return phrase


def owned(owner, noun, adjectives, plural):
    """Anna's old car: Annas altes Auto; the woman's old car: das alte Auto der Frau."""
    bare = noun_phrase(noun, "", adjectives, plural)
    phrase = noun_phrase(noun, "the", adjectives, plural)
    phrase.en = phrase.en_object = "%s's %s" % (owner.en, bare.en)
    cases = ("nom", "acc", "dat")
    if owner.kind == "name":
        phrase.de = {case: "%s %s" % (owner.de["gen"], bare.de[case]) for case in cases}
    else:
        phrase.de = {case: "%s %s" % (phrase.de[case], owner.de["gen"]) for case in cases}
    return phrase


def after(preposition, german_phrase):
    """A German preposition and its phrase, melted where that is the rule (im, ins, am, zum, zur, vom)."""
    first, _, rest = german_phrase.partition(" ")
    melted = _CONTRACTIONS.get("%s %s" % (preposition, first)) if rest else None
    return "%s %s" % (melted, rest) if melted else "%s %s" % (preposition, german_phrase)


def number_words(value):
    """21 to 49, not a multiple of ten: twenty-one and einundzwanzig."""
    ten, unit = divmod(value, 10)
    en_ten, de_ten = TENS[ten - 2]
    if unit == 0:
        return en_ten, de_ten
    en_unit, de_unit = UNITS[unit - 1]
    return "%s-%s" % (en_ten, en_unit), "%sund%s" % (de_unit, de_ten)

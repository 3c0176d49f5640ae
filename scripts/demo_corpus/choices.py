"""Seeded choices of words: which noun phrase, adjective, time or place goes into a sentence."""

import random

from . import lexicon as lex
from .clauses import FUTURE, MODALS, PAST, PRESENT
from .phrases import POSSESSIVES, PRONOUNS, after, both, name_phrase, noun_phrase, number_words, owned, pronoun
from .phrases import title_phrase

_CONTENT_ADJECTIVES = tuple(a for a in lex.ADJECTIVES if "colour" not in a.tags)
_COLOURS = tuple(a for a in lex.ADJECTIVES if "colour" in a.tags)
_OWNERS = tuple(POSSESSIVES)
_FAMILY_OWNERS = ("my",) + _OWNERS


def with_tags(nouns, tags):
    wanted = set(tags)
    return tuple(n for n in nouns if wanted & n.tags)


class Choices:
    """All randomness comes from random.Random.random(), whose sequence for a seed is the same in every Python 3."""

    def __init__(self, seed):
        self._random = random.Random(seed).random

    def chance(self, probability):
        return self._random() < probability

    def pick(self, items):
        return items[int(self._random() * len(items))]

    def weighted(self, *pairs):
        """One of the values of (weight, value) pairs."""
        left = self._random() * sum(weight for weight, _ in pairs)
        for weight, value in pairs:
            left -= weight
            if left < 0:
                return value
        return pairs[-1][1]

    # Noun phrases ----------------------------------------------------------------------------------------------

    def adjectives(self, noun, probability=0.3):
        if not self.chance(probability):
            return ()
        content = [a for a in _CONTENT_ADJECTIVES if a.tags & noun.tags]
        colours = [a for a in _COLOURS if a.tags & noun.tags]
        if colours and self.chance(0.08):
            return (self.pick(content), self.pick(colours))
        if colours and self.chance(0.4):
            return (self.pick(colours),)
        return (self.pick(content),) if content else ()

    def person(self, simple=False):
        """Somebody other than a pronoun."""
        owned_too = 0 if simple else 6
        kind = self.weighted((30, "name"), (6, "title"), (30, "person"), (26, "relative"), (owned_too, "owned"))
        if kind == "name":
            return name_phrase(self.pick(lex.NAMES)[0])
        if kind == "title":
            return title_phrase(self.pick(lex.SURNAMES), self.pick("mf"))
        if kind == "relative":
            noun, owner = self.pick(lex.RELATIVES), self.pick(_FAMILY_OWNERS)
            plural = not simple and "single" not in noun.tags and self.chance(0.12)
            return noun_phrase(noun, owner, self.adjectives(noun, 0.15), plural)
        if kind == "owned":
            return owned(self.owner(), self.pick(lex.RELATIVES), (), False)
        noun = self.pick(lex.PEOPLE)
        determiner, plural = self.weighted(
            (50, ("the", False)), (8, ("this", False)), (5, ("every", False)), (0 if simple else 12, ("the", True)),
            (0 if simple else 4, ("all", True)), (0 if simple else 4, ("these", True)),
        )  # fmt: skip
        return noun_phrase(noun, determiner, self.adjectives(noun, 0.25), plural)

    def owner(self):
        if self.chance(0.6):
            return name_phrase(self.pick(lex.NAMES)[0])
        return noun_phrase(self.pick(lex.PEOPLE), "the")

    def subject(self):
        kind = self.weighted((32, "pronoun"), (64, "person"), (4, "both"))
        if kind == "pronoun":
            return pronoun(self.pick(("I", "I", "you", "he", "she", "we", "they")))
        if kind == "both":
            first, second = self.pick(lex.NAMES)[0], self.pick(lex.NAMES)[0]
            if first != second:
                return both(name_phrase(first), name_phrase(second))
        return self.person()

    def other_person(self, subject, pronouns=0.25):
        """Somebody for the subject to see, help or wait for."""
        if self.chance(pronouns):
            speaking = subject.person < 3  # I see myself, we see me: not here
            able = [p for p in PRONOUNS if p != subject.en and not (speaking and PRONOUNS[p][6] == subject.person)]
            return pronoun(self.pick(able))
        while True:
            other = self.person()
            if other.en != subject.en:
                return other

    def thing(self, tags, negated=False, definite=False):
        """A noun phrase whose noun has one of the tags; `negated` and `definite` limit the determiners."""
        noun = self.pick(with_tags(lex.THINGS + lex.PLACES + lex.VEHICLES, tags))
        many = 0 if negated or definite else 1
        a = 0 if definite else 1
        determiner, plural = self.weighted(
            (34, ("the", False)), (24 * a, ("a", False)), (14, ("possessive", False)), (7, ("this", False)),
            (7, ("the", True)), (3, ("possessive", True)), (3, ("these", True)), (6 * a, ("", True)),
            (4 * many, ("number", True)), (2 * many, ("many", True)), (4, ("owned", False)),
        )  # fmt: skip
        adjectives = self.adjectives(noun)
        if determiner == "owned" and "place" not in noun.tags:
            return owned(self.owner(), noun, adjectives, plural)
        if determiner == "owned":
            determiner = "the"
        if determiner == "possessive":
            determiner = self.pick(_OWNERS)
        if determiner == "number":
            determiner = self.pick(lex.NUMBERS[:6])[0]
        return noun_phrase(noun, determiner, adjectives, plural)

    def object_for(self, verb, subject, negated=False):
        """An accusative object that the verb makes sense with."""
        tags = verb.tags
        if "drink" in tags or "eaten" in tags:
            noun = self.pick(with_tags(lex.MASS, tags))
            return noun_phrase(noun, "", self.adjectives(noun, 0.3))
        if "person" in tags and self.chance(0.7 if len(tags) > 1 else 1.0):
            return self.other_person(subject)
        return self.thing([t for t in tags if t != "person"], negated)

    # Times and places ------------------------------------------------------------------------------------------

    def tense(self, state=False):
        if state:
            return self.weighted((70, PRESENT), (30, PAST))
        return self.weighted((40, PRESENT), (28, PAST), (12, FUTURE), (20, "modal")).replace("modal", self.pick(MODALS))

    def clock(self):
        """A time of day, as in: at half past seven (um halb acht)."""
        hour = 6 + int(self._random() * 6)
        words = lex.UNITS + lex.NUMBERS[8:]
        (en, de), (_, de_next) = words[hour - 1], words[hour]
        kind = self.weighted((4, "full"), (4, "half"), (2, "past"), (4, "digits"))
        if kind == "full":
            return "%s o'clock" % en, "%s Uhr" % de
        if kind == "half":
            return "half past %s" % en, "halb %s" % de_next
        if kind == "past":
            return "quarter past %s" % en, "Viertel nach %s" % de
        digits = "%d:%s" % (hour, self.pick(("15", "30", "45")))
        return digits, digits + " Uhr"

    def time(self, tense, negated=False):
        kind = self.weighted((50, "word"), (22, "day"), (20, "clock"), (8, "distance"))
        letter = {PRESENT: "a", PAST: "p"}.get(tense, "f")
        if kind == "distance" and tense != PRESENT:
            return self._distance(tense)
        if kind == "day":
            en, de = self.pick(lex.DAYS)
            return "on " + en, "am " + de
        if kind == "clock":
            en, de = self.clock()
            return "at " + en, "um " + de
        return self.pick([t for t in lex.TIMES if letter in t[2] and not (negated and t[1] == "jeden Tag")])[:2]

    def _distance(self, tense):
        """three days ago: vor drei Tagen; in three days: in drei Tagen."""
        en_number, de_number = self.pick(lex.NUMBERS[:5])
        en, _, plural = self.pick(lex.PERIODS)
        plural += "" if plural.endswith("n") else "n"
        if tense == PAST:
            return "%s %ss ago" % (en_number, en), "vor %s %s" % (de_number, plural)
        return "in %s %ss" % (en_number, en), "in %s %s" % (de_number, plural)

    def _place_phrase(self, noun):
        determiner = self.weighted((70, "the"), (14, "a"), (10, self.pick(_OWNERS)), (6, "this"))
        return noun_phrase(noun, determiner, self.adjectives(noun, 0.25))

    def location(self):
        """Where something happens: preposition and dative."""
        if self.chance(0.08):
            return "at home", "zu Hause"
        key = self.weighted((70, "in"), (8, "at"), (12, "front"), (10, "behind"))
        place = self._place_phrase(self.pick(with_tags(lex.PLACES, [key])))
        return self._put(lex.LOCATIVES[key], place, "dat")

    def on_furniture(self, case, thing):
        """Where the thing is put (accusative) or lies (dative)."""
        noun, keys = self.pick([pair for pair in lex.FURNITURE if pair[0] is not thing])
        place = noun_phrase(noun, self.pick(("the", "the", "the", "my", "his", "her")), self.adjectives(noun, 0.25))
        return self._put(lex.LOCATIVES[self.pick(keys)], place, case)

    def destination(self, through=False):
        """Where to: into and accusative, to and dative."""
        if self.chance(0.1):
            return "home", "nach Hause"
        key = self.weighted((50, "into"), (35, "to"), (20 if through else 0, "through"))
        en, de, case = lex.DIRECTIONS[key]
        return self._put((en, de), self._place_phrase(self.pick(with_tags(lex.PLACES, [key]))), case)

    def put_place(self, key, place):
        return self._put(lex.LOCATIVES[key], place, "dat")

    @staticmethod
    def _put(prepositions, phrase, case):
        en, de = prepositions
        return "%s %s" % (en, phrase.en), after(de, phrase.de[case])

    def city(self):
        return self.pick(lex.CITIES)

    def company(self, subject):
        other = self.other_person(subject, 0.1)
        return "with " + other.en_object, "mit " + other.de["dat"]

    def years(self):
        """A number of years, in words or digits."""
        value = 20 + int(self._random() * 20)
        return number_words(value) if self.chance(0.5) else (str(value), str(value))

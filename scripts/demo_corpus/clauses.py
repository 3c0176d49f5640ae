"""Clauses: one meaning, put into English order and into the three German ones.

A Clause holds who does what to whom, when and where. German verb-second, verb-first and verb-final order and the
zu-infinitive are made from the same parts: finite verb, middle field and the right bracket (separable prefix,
participle or infinitive).
"""

from .lexicon import BE, HAVE
from .phrases import RELATIVE, after

PRESENT, PAST, FUTURE = "present", "past", "future"
_HAVE = {"haben": ("habe", "hast", "hat", "haben", "haben"), "sein": ("bin", "bist", "ist", "sind", "sind")}
_PRETERITE = {
    BE: ("war", "warst", "war", "waren", "waren"),
    HAVE: ("hatte", "hattest", "hatte", "hatten", "hatten"),
}
_AUXILIARIES = {
    FUTURE: ("werde", "wirst", "wird", "werden", "werden"),
    "can": ("kann", "kannst", "kann", "können", "können"),
    "must": ("muss", "musst", "muss", "müssen", "müssen"),
    "want": ("will", "willst", "will", "wollen", "wollen"),
    "should": ("sollte", "solltest", "sollte", "sollten", "sollten"),
    "may": ("darf", "darfst", "darf", "dürfen", "dürfen"),
    "would like": ("möchte", "möchtest", "möchte", "möchten", "möchten"),
}
MODALS = ("can", "must", "want", "should", "may", "would like")


def _form(forms, phrase):
    """ich, du, er, wir or sie form."""
    if phrase.plural:
        return forms[3] if phrase.person == 1 else forms[4]
    return forms[phrase.person - 1]


def german_present(verb, subject):
    if verb is BE:
        return _form(_HAVE["sein"], subject)
    base = verb.infinitive
    first = verb.first or (base[:-2] if base.endswith("en") else base[:-1]) + "e"
    return _form((first, verb.second, verb.third, base, base), subject)


def zu_infinitive(verb):
    return verb.prefix + "zu" + verb.infinitive if verb.prefix else "zu " + verb.infinitive


class Clause:
    """Parts are (English, German) pairs of text or Phrases; any may be None or empty."""

    def __init__(self, subject, verb, tense=PRESENT):
        self.subject = subject
        self.verb = verb
        self.tense = tense  # PRESENT, PAST, FUTURE or one of MODALS
        self.negative = False
        self.gladly = False  # likes to sing: singt gern
        self.time = None
        self.frequency = None
        self.manner = None
        self.dative = None
        self.accusative = None
        self.object = None  # of a preposition: auf den Bus
        self.places = []  # company, means, place, goal in German order
        self.predicate = None  # after sein; a third text is the German one with kein
        self.after_accusative = None  # a relative clause on the object, behind the German right bracket

    def unclear_tense(self):
        """Whether the English would be read as the present: I put, they read."""
        plain = self.tense == PAST and not self.negative and not self.subject.english_third
        return plain and self.verb.en == self.verb.en_past

    # English ---------------------------------------------------------------------------------------------------

    def english(self, subject=True, question=False, skip=(), time=True):
        """`skip` leaves out parts by name; a question inverts subject and auxiliary."""
        finite, rest = self._english_verb(question)
        who = self.subject.en if subject else ""
        head = [finite, who] if question else [who, finite]
        return _join(head + rest + self._english_tail(skip, time))

    def english_infinitive(self):
        return _join(["to", self.verb.en] + self._english_tail())

    def english_order(self):
        return _join([self.verb.en] + self._english_tail())

    def _english_verb(self, question):
        """The finite verb, and the words between it and the objects (behind the subject in a question)."""
        verb, third = self.verb, self.subject.english_third
        often = [self.frequency[0]] if self.frequency else []
        negation = ["not"] if self.negative else []
        if self.gladly:
            return self._english_do(["like to " + verb.en], "likes to " + verb.en if third else "like to " + verb.en)
        if verb is BE and self.tense in (PRESENT, PAST):
            return self._english_be(), negation + often
        if self.tense == "can" and self.negative:
            return "cannot", often + [verb.en]
        if self.tense in (FUTURE, "can", "should", "may"):
            return "will" if self.tense == FUTURE else self.tense, negation + often + [verb.en]
        if self.tense == "would like":
            return "would", ["like to " + verb.en]
        if self.tense == "want":
            finite = ("wants to " if third else "want to ") + verb.en
            return self._english_do(["want to " + verb.en], finite, question)
        if self.tense == "must":
            if self.negative or question:
                return self._english_do(["have to " + verb.en], "", question)
            return "must", often + [verb.en]
        past = self.tense == PAST
        finite = verb.en_past if past else verb.en_third if third else verb.en
        if self.negative or question:
            return self._english_do(often + [verb.en], finite, question, past)
        return _join(often + [finite]), []

    def _english_do(self, infinitive, finite, question=False, past=False):
        if not (self.negative or question):
            return finite, []
        do = "did" if past else "does" if self.subject.english_third else "do"
        return do, (["not"] if self.negative else []) + infinitive

    def _english_be(self):
        if self.tense == PAST:
            return "were" if self.subject.plural or self.subject.person == 2 else "was"
        if self.subject.english_third:
            return "is"
        return "am" if self.subject.person == 1 and not self.subject.plural else "are"

    def _english_object(self, skip):
        """The direct object with the particle of its verb: turns off the lamp, turns it off, takes the bag along."""
        verb, accusative = self.verb, self.accusative
        shown = accusative is not None and "accusative" not in skip
        direct = accusative.en_object if shown else ""
        if verb.en_preposition and self.object is None:
            direct = _join([verb.en_preposition, direct])
        late = shown and (accusative.kind == "pronoun" or verb.particle in ("along", "on", "off"))
        late = late and not self.after_accusative
        return [direct, verb.particle] if late else [verb.particle, direct]

    def _english_tail(self, skip=(), time=True):
        words = [self.dative.en_object] if self.dative is not None and "dative" not in skip else []
        words += self._english_object(skip)
        if self.object is not None and "object" not in skip:
            words.append("%s %s" % (self.verb.en_preposition, self.object.en_object))
        words += [part[0] for part in (self.predicate, self.manner) if part]
        words += [place[0] for place in self.places]
        words += [self.time[0]] if self.time and time else []
        words += [self.after_accusative[0]] if self.after_accusative else []
        return words

    # German ----------------------------------------------------------------------------------------------------

    def _german_verbs(self):
        """Finite verb and what stands in the right bracket of a main clause."""
        verb, subject = self.verb, self.subject
        if self.tense == PRESENT:
            return german_present(verb, subject), verb.prefix
        if self.tense == PAST:
            if verb in _PRETERITE:
                return _form(_PRETERITE[verb], subject), ""
            return _form(_HAVE[verb.auxiliary], subject), verb.participle
        return _form(_AUXILIARIES[self.tense], subject), verb.prefix + verb.infinitive

    def _middle(self, skip=(), time=True):
        """The middle field without the subject: (pronouns, the rest)."""
        objects = [("dative", "dat", self.dative), ("accusative", "acc", self.accusative)]
        objects = [(case, p) for role, case, p in objects if p is not None and role not in skip]
        when = [self.time[1]] if self.time and time else []
        often = [self.frequency[1]] if self.frequency else []
        pronouns = [p.de[case] for case, p in objects if p.kind == "pronoun"]
        nouns = [(case, p) for case, p in objects if p.kind != "pronoun"]
        never = often == ["nie"]
        predicate = list(self.predicate[1:2]) if self.predicate else []
        kein = self.negative and any(p.negated for _, p in nouns)
        if self.negative and self.predicate and len(self.predicate) > 2:
            kein, predicate = True, [self.predicate[2]]
        gladly = ["gern"] if self.gladly else []
        if self.negative and not kein or never:
            fixed = [p.de[case] for case, p in nouns if not p.indefinite]
            loose = [p.de[case] for case, p in nouns if p.indefinite]
            middle = fixed + when + (often if never else ["nicht"]) + gladly + loose
        else:
            named = [p.de[case] for case, p in nouns if p.kind == "name"]
            others = [(p.negated if kein and p.negated else p.de)[case] for case, p in nouns if p.kind != "name"]
            middle = named + when + often + gladly + others
        middle += predicate + ([self.manner[1]] if self.manner else [])
        middle += [place[1] for place in self.places]
        if self.object is not None and "object" not in skip:
            middle.append(after(self.verb.preposition, self.object.de[self.verb.case]))
        return pronouns, middle

    def _trailing(self):
        return [self.after_accusative[1]] if self.after_accusative else []

    def _reflexive(self):
        return [self.subject.reflexive] if self.verb.reflexive else []

    def german_second(self, front=None, time=True, skip=()):
        """Verb second: the subject first, or `front` first and the subject behind the verb. With front "" the verb
        comes first, as in a yes-no question."""
        finite, bracket = self._german_verbs()
        pronouns, middle = self._middle(skip, time)
        subject = self.subject.de["nom"]
        if front is None:
            head = [subject, finite] + self._reflexive()
        elif self.subject.kind == "pronoun":
            head = [front, finite, subject] + self._reflexive()
        else:
            head = [front, finite] + self._reflexive() + [subject]
        return _join(head + pronouns + middle + [bracket] + self._trailing())

    def german_final(self, subject=True, skip=()):
        """Verb last, as after weil: ..., weil der Mann das Buch gekauft hat."""
        finite, bracket = self._german_verbs()
        pronouns, middle = self._middle(skip)
        verbs = [bracket + finite] if self.tense == PRESENT else [bracket, finite]
        head = [self.subject.de["nom"] if subject else ""] + self._reflexive()
        return _join(head + pronouns + middle + verbs + self._trailing())

    def german_zu(self):
        """The zu-infinitive: das Buch zu kaufen, Anna anzurufen."""
        pronouns, middle = self._middle()
        return _join(self._reflexive() + pronouns + middle + [zu_infinitive(self.verb)] + self._trailing())

    def german_order(self):
        """An order to one person: Ruf bitte den Arzt an!"""
        pronouns, middle = self._middle()
        return _join([self.verb.imperative] + pronouns + ["bitte"] + middle + [self.verb.prefix])


def _join(parts):
    return " ".join(part for part in parts if part)


def relative(head, clause, role):
    """(English, German) relative clause on `head`, which plays `role` in `clause`: subject, accusative, dative or
    object (of a preposition)."""
    person = head.human
    column = head.column
    if role == "subject":
        return "%s %s" % ("who" if person else "that", clause.english(subject=False)), ", %s %s ," % (
            RELATIVE["nom", column], clause.german_final(subject=False),
        )  # fmt: skip
    case = clause.verb.case if role == "object" else {"accusative": "acc", "dative": "dat"}[role]
    pronoun = RELATIVE[case, column]
    skip = (role,)
    english = clause.english(skip=skip)
    word = "whom" if person else "that"
    if role == "object":
        word = "%s %s" % (clause.verb.en_preposition, "whom" if person else "which")
        pronoun = "%s %s" % (clause.verb.preposition, pronoun)
    return "%s %s" % (word, english), ", %s %s ," % (pronoun, clause.german_final(skip=skip))


def whose(head, clause):
    """whose dog sleeps: dessen Hund schläft. The subject of `clause` has a bare noun."""
    return "whose %s" % clause.english(), ", %s %s ," % (RELATIVE["gen", head.column], clause.german_final())

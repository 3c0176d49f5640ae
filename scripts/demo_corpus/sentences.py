"""Sentence patterns: each makes one English sentence and its German translation."""

from . import lexicon as lex
from .choices import with_tags
from .clauses import FUTURE, MODALS, PAST, PRESENT, Clause, relative, whose
from .meanings import Meanings
from .phrases import PRONOUNS, Phrase, noun_phrase, pronoun, pronoun_for

_CONNECTIVES = {
    "because": "weil", "although": "obwohl", "if": "wenn", "while": "während", "before": "bevor", "so that": "damit",
}  # fmt: skip


def _finish(english, german, mark="."):
    return _tidy(english + " " + mark), _tidy(german + " " + mark)


def _tidy(text):
    """No doubled comma, none before another mark, no blank before a mark, a capital at the start."""
    words = []
    for word in text.split():
        if words and words[-1] == "," and word in (",", ".", "?", "!"):
            words.pop()
        words.append(word)
    text = " ".join(words)
    for mark in ",.?!":
        text = text.replace(" " + mark, mark)
    return text[0].upper() + text[1:]


def _who():
    return Phrase("who", {"nom": "wer"})


class Sentences(Meanings):
    """sample() gives one (English, German) pair after another; the sequence depends on the seed alone."""

    def __init__(self, seed):
        super().__init__(seed)
        self._patterns = (
            (34, self._statement), (6, self._yes_no_question), (7, self._wh_question), (3, self._order),
            (7, self._being), (4, self._liking), (11, self._connected), (8, self._complement), (5, self._which_subject),
            (6, self._which_object), (6, self._infinitive), (8, self._agreeing_pronoun), (3, self._coordinated),
            (3, self._there_is), (3, self._number), (2, self._timetable),
        )  # fmt: skip

    def sample(self):
        return self.choose.weighted(*self._patterns)()

    # Main clauses ----------------------------------------------------------------------------------------------

    def _statement(self):
        clause = self.clause()
        if clause.time and self.choose.chance(0.45):
            en, de = clause.time
            return _finish("%s %s" % (en, clause.english(time=False)), clause.german_second(de, time=False))
        if not clause.time and not clause.negative and not clause.frequency and self.choose.chance(0.12):
            return self._fronted(clause)
        return _finish(clause.english(), clause.german_second())

    def _fronted(self, clause):
        """In the garden Anna sings: a place before the verb; this book Anna has read: an object."""
        choose = self.choose
        accusative = clause.accusative
        if accusative is not None and accusative.en.split()[0] in ("this", "these"):
            english, german = clause.english(skip=("accusative",)), clause.german_second(
                accusative.de["acc"], skip=("accusative",))
            if not clause.verb.en_preposition and not clause.verb.particle:
                return _finish("%s %s" % (accusative.en, english), german)
        clause = self.clause(adjuncts=0)
        clause.time = clause.frequency = None
        if clause.places or clause.verb in lex.PREPOSITIONAL or clause.verb in lex.STATES:
            return _finish(clause.english(), clause.german_second())
        en, de = choose.location()
        return _finish("%s %s" % (en, clause.english()), clause.german_second(de))

    def _yes_no_question(self):
        clause = self.clause(negative=0)
        clause.frequency = None
        return _finish(clause.english(question=True), clause.german_second(""), "?")

    def _wh_question(self):
        english, german, clause, skip = self._question_word()
        if english == "who":
            return _finish(clause.english(), clause.german_second(), "?")
        return _finish("%s %s" % (english, clause.english(question=True, skip=skip)),
                       clause.german_second(german, skip=skip), "?")  # fmt: skip

    def _question_word(self):
        """(question word, German one, the clause it asks about, the part it stands for)."""
        choose = self.choose
        kind = choose.weighted((2, "who"), (2, "what"), (2, "whom"), (2, "where"), (1, "where to"), (2, "when"), (2, "why"))
        if kind == "who":
            clause = self.clause(_who(), choose.pick((PRESENT, PAST, PAST, FUTURE, "can")), negative=0, adjuncts=0.3)
            clause.frequency = None
            return "who", "wer", clause, ()
        if kind == "what":
            verb = choose.pick([v for v in lex.TRANSITIVE if v.tags != ("person",) and not v.particle])
            clause = Clause(choose.subject(), verb, self._question_tense())
            clause.accusative = noun_phrase(lex.THINGS[0], "the")
            return "what", "was", clause, ("accusative",)
        if kind == "whom":
            verb = choose.pick([v for v in lex.TRANSITIVE if "person" in v.tags] + list(lex.DATIVE))
            clause = Clause(choose.subject(), verb, self._question_tense())
            role = "dative" if verb.case == "dat" else "accusative"
            setattr(clause, role, pronoun("they"))
            return "whom", "wem" if role == "dative" else "wen", clause, (role,)
        if kind == "where":
            verb = choose.pick([v for v in lex.INTRANSITIVE if "place" in v.tags] + [lex.LIVE, lex.LIVE])
            clause = Clause(choose.subject(), verb, self._question_tense())
        elif kind == "where to":
            clause = Clause(choose.subject(), choose.pick((lex.GO, lex.TRAVEL)), self._question_tense())
            return "where", "wohin", clause, ()
        else:
            clause = self.clause(tense=self._question_tense(), negative=0, adjuncts=0.4)
            clause.frequency = None
            clause.time = None if kind == "when" else clause.time
        return kind, {"where": "wo", "when": "wann", "why": "warum"}[kind], clause, ()

    def _question_tense(self):
        return self.choose.pick((PRESENT, PRESENT, PAST, PAST, FUTURE, "must", "want"))

    def _order(self):
        choose = self.choose
        subject = pronoun("you")
        able = [v for group in (lex.TRANSITIVE, lex.CONSUME, lex.DATIVE, lex.DITRANSITIVE) for v in group if v.imperative]
        clause = Clause(subject, choose.pick(able), PRESENT)
        verb = clause.verb
        if verb in lex.DATIVE or verb in lex.DITRANSITIVE:
            clause.dative = choose.other_person(subject)
        if verb not in lex.DATIVE:
            clause.accusative = choose.thing(verb.tags) if clause.dative else choose.object_for(verb, subject)
        if clause.dative is not None and clause.dative.en == "she":
            clause.dative = pronoun("he")
        if choose.chance(0.2):
            clause.time = choose.pick((("today", "heute"), ("tomorrow", "morgen"), ("now", "jetzt")))
        return _finish("please " + clause.english_order(), clause.german_order(), "!")

    def _liking(self):
        """Likes to sing: singt gern."""
        clause = self.clause(tense=PRESENT, adjuncts=0.3, negative=0)
        choose = self.choose
        if choose.chance(0.5):
            clause = self._consuming(choose.subject(), PRESENT, False, 0)
        elif clause.verb.reflexive or clause.verb in lex.STATES or clause.verb.particle in ("up", "asleep", "back"):
            clause = self._motion(choose.subject(), PRESENT, False, 0)
        clause.time = clause.frequency = clause.manner = None
        clause.gladly = True
        clause.negative = choose.chance(0.2) and clause.accusative is None
        return _finish(clause.english(), clause.german_second())

    # Being -----------------------------------------------------------------------------------------------------

    def _be(self, subject, predicate, negative=0.15):
        choose = self.choose
        clause = Clause(subject, lex.BE, choose.weighted((6, PRESENT), (3, PAST), (1, FUTURE)))
        clause.predicate = predicate
        clause.negative = choose.chance(negative)
        if not clause.negative and choose.chance(0.1):
            clause.frequency = choose.pick(lex.FREQUENCY)
        return clause

    def _being(self):
        choose = self.choose
        kind = choose.weighted((4, "quality"), (3, "comparison"), (3, "profession"), (3, "place"), (1, "young"))
        if kind == "profession":
            return self._profession()
        if kind == "place":
            clause = self._be(self._thing_subject(("carry", "goods")), choose.on_furniture("dat"))
        elif kind == "young":
            clause = self.clause(tense=PAST, adjuncts=0.2, negative=0)
            subject = pronoun_for(clause.subject) if self._can_be_meant(clause.subject) else pronoun("he")
            young = Clause(subject, lex.BE, PAST)
            young.predicate = choose.pick((("young", "jung"), ("ill", "krank"), ("tired", "müde")))
            return _finish("%s when %s" % (clause.english(), young.english()),
                           "%s , als %s" % (clause.german_second(), young.german_final()))  # fmt: skip
        elif kind == "comparison":
            clause = self._comparison()
        else:
            subject = choose.subject() if choose.chance(0.5) else self._thing_subject(("goods", "place", "read", "animal"))
            clause = self._be(subject, self._quality(subject))
        if clause.tense != FUTURE and not clause.negative and not clause.frequency and choose.chance(0.2):
            return _finish(clause.english(question=True), clause.german_second(""), "?")
        return _finish(clause.english(), clause.german_second())

    def _thing_subject(self, tags):
        return self.choose.thing(tags, definite=True)

    def _quality(self, subject, degree=True):
        """An adjective that fits the subject, perhaps with very or too."""
        tags = subject.noun.tags if subject.noun else {"person"}
        able = [a for a in lex.ADJECTIVES if a.tags & tags]
        adjective = self.choose.pick(able)
        if degree and "colour" not in adjective.tags and self.choose.chance(0.3):
            en, de = self.choose.pick((("very", "sehr"), ("too", "zu")))
            return "%s %s" % (en, adjective.en), "%s %s" % (de, adjective.de)
        return adjective.en, adjective.de

    def _comparison(self):
        choose = self.choose
        if choose.chance(0.6):
            subject, tags = choose.subject(), {"person"}
            other = choose.other_person(subject, 0)
        else:
            subject = self._thing_subject(("goods", "place", "animal"))
            tags = subject.noun.tags
            nouns = with_tags(lex.THINGS + lex.PLACES, tags & {"goods", "place", "animal"})
            noun = choose.pick([n for n in nouns if n is not subject.noun])
            tags = tags & noun.tags
            other = noun_phrase(noun, choose.pick(("the", "my", "your", "his", "her", "our", "this")))
        adjective = choose.pick([a for a in lex.ADJECTIVES if a.tags & tags and a.comparative])
        if choose.chance(0.25):
            words = ("as %s as %s" % (adjective.en, other.en), "so %s wie %s" % (adjective.de, other.de["nom"]))
        else:
            words = ("%s than %s" % (adjective.en_comparative, other.en),
                     "%s als %s" % (adjective.comparative, other.de["nom"]))  # fmt: skip
        return self._be(subject, words, negative=0.1)

    def _profession(self):
        """Peter is a doctor: Arzt; Anna is a doctor: Ärztin; is a good doctor: ein guter Arzt."""
        choose = self.choose
        while True:
            subject = choose.subject()
            if subject.person == 3 and not subject.plural and subject.gender != "n" and subject.noun not in lex.PEOPLE:
                break
        en, masculine, feminine = choose.pick(lex.PROFESSIONS)
        de = feminine if subject.gender == "f" else masculine
        ending = "e" if subject.gender == "f" else "er"
        if choose.chance(0.5):
            predicate = ("a " + en, de)
        else:
            adjective = choose.pick([a for a in lex.ADJECTIVES if "person" in a.tags and a.en != "ill"])
            article = "eine" if subject.gender == "f" else "ein"
            described = "%s%s %s" % (adjective.stem, ending, de)
            english = "%s %s" % (adjective.en, en)
            predicate = ("%s %s" % ("an" if english[0] in "aeiou" else "a", english),
                         "%s %s" % (article, described), "k%s %s" % (article, described))  # fmt: skip
        return _finish(*self._both(self._be(subject, predicate)))

    @staticmethod
    def _both(clause):
        return clause.english(), clause.german_second()

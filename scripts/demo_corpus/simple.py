"""Sentences of one clause: statements, questions, orders, likes, and what things and people are."""

from . import lexicon as lex
from .choices import with_tags
from .clauses import FUTURE, PAST, PRESENT, Clause
from .meanings import Meanings
from .phrases import Phrase, english_article, noun_phrase, pronoun
from .text import finish


def who():
    return Phrase("who", {"nom": "wer"})


class SimpleSentences(Meanings):
    """Each method makes one (English, German) pair."""

    def _statement(self):
        if self.choose.chance(0.1):
            return self._fronted()
        clause = self.clause()
        if clause.time and self.choose.chance(0.45):
            en, de = clause.time
            return finish("%s %s" % (en, clause.english(time=False)), clause.german_second(de, time=False))
        return finish(clause.english(), clause.german_second())

    def _fronted(self):
        """A place before the verb (in the garden Anna sings) or an object (this book Anna reads)."""
        choose = self.choose
        if choose.chance(0.35):
            verbs = [v for v in lex.TRANSITIVE if v.tags != ("person",) and not v.particle and not v.en_preposition]
            clause = Clause(choose.subject(), choose.pick(verbs), choose.pick((PRESENT, PAST, FUTURE, "can", "must")))
            if clause.unclear_tense():
                clause.tense = "must"
            noun = choose.pick(with_tags(lex.THINGS + lex.PLACES, set(clause.verb.tags) - {"person"}))
            plural = choose.chance(0.25)
            this = noun_phrase(noun, "these" if plural else "this", choose.adjectives(noun), plural)
            clause.accusative = this
            rest = {"skip": ("accusative",)}
            return finish("%s %s" % (this.en, clause.english(**rest)), clause.german_second(this.de["acc"], **rest))
        clause = self.clause(adjuncts=0)
        clause.time = clause.frequency = None
        if clause.places or clause.verb in lex.PREPOSITIONAL or clause.verb in lex.STATES:
            return finish(clause.english(), clause.german_second())
        en, de = choose.location()
        return finish("%s %s" % (en, clause.english()), clause.german_second(de))

    def _yes_no_question(self):
        clause = self.clause(negative=0)
        clause.frequency = None
        return finish(clause.english(question=True), clause.german_second(""), "?")

    def _wh_question(self):
        english, german, clause, skip = self._question_word()
        if english == "who":
            return finish(clause.english(), clause.german_second(), "?")
        return finish("%s %s" % (english, clause.english(question=True, skip=skip)),
                       clause.german_second(german, skip=skip), "?")  # fmt: skip

    def _question_word(self):
        """(question word, German one, the clause it asks about, the part it stands for)."""
        choose = self.choose
        kind = choose.pick(("who", "what", "whom", "where", "where", "where to", "when", "why"))
        if kind == "who":
            clause = self.clause(who(), choose.pick((PRESENT, PAST, PAST, FUTURE, "can")), negative=0, adjuncts=0.3)
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
        verbs = lex.TRANSITIVE + lex.CONSUME + lex.DATIVE + lex.DITRANSITIVE
        clause = Clause(subject, choose.pick([v for v in verbs if v.imperative]), PRESENT)
        verb = clause.verb
        if verb in lex.DATIVE or verb in lex.DITRANSITIVE:
            clause.dative = choose.other_person(subject)
        if verb not in lex.DATIVE:
            clause.accusative = choose.thing(verb.tags) if clause.dative else choose.object_for(verb, subject)
        if clause.dative is not None and clause.dative.en == "she":
            clause.dative = pronoun("he")
        if choose.chance(0.2):
            clause.time = choose.pick((("today", "heute"), ("tomorrow", "morgen"), ("now", "jetzt")))
        return finish("please " + clause.english_order(), clause.german_order(), "!")

    def _liking(self):
        """Likes to sing: singt gern."""
        choose = self.choose
        subject = choose.subject()
        kind = choose.weighted((4, "consume"), (3, "act"), (2, "go"), (3, "things"))
        if kind == "consume":
            clause = self._consuming(subject, PRESENT, False, 0)
        elif kind == "go":
            clause = self._motion(subject, PRESENT, False, 0)
        elif kind == "act":
            verbs = [v for v in lex.INTRANSITIVE if v.en in ("sleep", "work", "sing", "dance", "play", "swim", "go")]
            clause = Clause(subject, choose.pick(verbs), PRESENT)
            if choose.chance(0.5) and "place" in clause.verb.tags:
                clause.places.append(choose.location())
        else:
            verbs = [v for v in lex.TRANSITIVE if v.en in ("read", "buy", "write", "repair", "paint", "wear", "visit")]
            clause = Clause(subject, choose.pick(verbs), PRESENT)
            noun = choose.pick(with_tags(lex.THINGS + lex.PLACES, set(clause.verb.tags) - {"person"}))
            clause.accusative = noun_phrase(noun, "", choose.adjectives(noun), plural=True)
        clause.gladly = True
        clause.negative = choose.chance(0.2)
        if clause.accusative is not None:
            clause.accusative.negated = None  # trinkt nicht gern Kaffee
        return finish(clause.english(), clause.german_second())

    # Being -----------------------------------------------------------------------------------------------------

    def _be(self, subject, predicate, negative=0.15, future=1):
        choose = self.choose
        clause = Clause(subject, lex.BE, choose.weighted((6, PRESENT), (3, PAST), (future, FUTURE)))
        clause.predicate = predicate
        clause.negative = choose.chance(negative)
        if not clause.negative and choose.chance(0.1):
            clause.frequency = choose.pick(lex.FREQUENCY)
        return clause

    def _being(self):
        choose = self.choose
        kind = choose.weighted((4, "quality"), (3, "comparison"), (3, "profession"), (3, "place"))
        if kind == "profession":
            return self._profession()
        if kind == "place" and choose.chance(0.5):
            return self._position()
        if kind == "place":
            subject = self._thing_subject(("flat", "lost", "food"))
            clause = self._be(subject, choose.on_furniture("dat", subject.noun))
        elif kind == "comparison":
            clause = self._comparison()
        else:
            tags = ("goods", "place", "read", "animal")
            subject = choose.subject() if choose.chance(0.5) else self._thing_subject(tags)
            clause = self._be(subject, self._quality(subject))
        if clause.tense != FUTURE and not clause.negative and not clause.frequency and choose.chance(0.2):
            return finish(clause.english(question=True), clause.german_second(""), "?")
        return finish(clause.english(), clause.german_second())

    def _position(self):
        """The lamp stands on the table; on the table stands a lamp: stehen and liegen with the dative."""
        choose = self.choose
        verb = choose.pick((lex.STAND, lex.LIE))
        fronted = choose.chance(0.4)
        thing = choose.thing(verb.tags, definite=not fronted)
        clause = Clause(thing, verb, PRESENT if fronted else choose.pick((PRESENT, PRESENT, PAST)))
        en, de = choose.on_furniture("dat", thing.noun)
        if fronted:
            verb_en = verb.en_third if thing.english_third else verb.en
            return finish("%s %s %s" % (en, verb_en, thing.en), clause.german_second(de))
        clause.places.append((en, de))
        return finish(clause.english(), clause.german_second())

    def _thing_subject(self, tags):
        return self.choose.thing(tags, definite=True)

    def _quality(self, subject, degree=True):
        """An adjective that fits the subject, perhaps with very or too."""
        tags = subject.noun.tags if subject.noun else {"person", "adult"}
        coloured = any("colour" in a.tags for a in subject.adjectives)
        able = [a for a in lex.ADJECTIVES if a.tags & tags and a not in subject.adjectives]
        able = [a for a in able if not (coloured and "colour" in a.tags)]
        adjective = self.choose.pick(able)
        if degree and "colour" not in adjective.tags and self.choose.chance(0.3):
            en, de = self.choose.pick((("very", "sehr"), ("too", "zu")))
            return "%s %s" % (en, adjective.en), "%s %s" % (de, adjective.de)
        return adjective.en, adjective.de

    def _comparison(self):
        choose = self.choose
        if choose.chance(0.6):
            subject, tags = choose.subject(), {"person", "adult"}
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
        return self._be(subject, words, negative=0.1, future=0)

    def _profession(self):
        """Peter is a doctor: Arzt; Anna is a doctor: Ärztin; is a good doctor: ein guter Arzt."""
        choose = self.choose
        while True:
            subject = choose.subject()
            if subject.person == 3 and not subject.plural and subject.gender != "n" and subject.noun not in lex.PEOPLE:
                break
        en, masculine, feminine = choose.pick(lex.PROFESSIONS)
        female = subject.gender == "f"
        de = feminine if female else masculine
        article = "eine" if female else "ein"
        if choose.chance(0.5):
            predicate = ("%s %s" % (english_article(en), en), de, "k%s %s" % (article, de))
        else:
            adjective = choose.pick([a for a in lex.ADJECTIVES if "person" in a.tags and a.en != "ill"])
            english = "%s %s" % (adjective.en, en)
            described = "%s %s%s %s" % (article, adjective.stem, "e" if female else "er", de)
            predicate = ("%s %s" % (english_article(english), english), described, "k" + described)
        clause = self._be(subject, predicate, future=0)
        clause.frequency = None
        return finish(clause.english(), clause.german_second())

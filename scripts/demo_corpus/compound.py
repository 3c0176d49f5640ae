"""Sentences of two clauses: conjunctions, that-clauses, relative clauses, infinitives, pronouns that agree."""

from . import lexicon as lex
from .choices import with_tags
from .clauses import FUTURE, PAST, PRESENT, Clause, relative, whose
from .meanings import Meanings
from .phrases import PRONOUNS, noun_phrase, pronoun, pronoun_for
from .simple import who
from .text import finish

_CONJUNCTIONS = {
    "because": "weil", "although": "obwohl", "if": "wenn", "while": "während", "before": "bevor", "so that": "damit",
}  # fmt: skip
_STATES_OF_PEOPLE = (("young", "jung"), ("ill", "krank"), ("tired", "müde"), ("happy", "glücklich"))


def _can_be_meant(phrase):
    """Whether he, she, it or they can stand for the phrase without doubt."""
    return phrase.kind == "pronoun" or phrase.plural or not phrase.human or phrase.gender != "n"


class CompoundSentences(Meanings):
    """Each method makes one (English, German) pair."""

    def _referring(self, antecedent, probability=0.6):
        """A subject for a second clause, often the pronoun for the first one's."""
        if _can_be_meant(antecedent) and self.choose.chance(probability):
            same = antecedent.kind == "pronoun" and antecedent.en.capitalize() in ("I", "You", "We")
            return antecedent if same else pronoun_for(antecedent)
        return self.choose.subject()

    # Conjunctions ----------------------------------------------------------------------------------------------

    def _connected(self):
        choose = self.choose
        conjunction = choose.weighted(
            (6, "because"), (4, "although"), (5, "if"), (3, "while"), (3, "before"), (2, "so that"), (2, "when"),
            (3, "weather"),
        )  # fmt: skip
        if conjunction == "when":
            return self._when_young()
        if conjunction == "weather":
            return self._weather()
        tense = choose.tense()
        if conjunction in ("while", "before", "so that"):
            tense = PRESENT if conjunction == "so that" else choose.pick((PRESENT, PAST))
        if conjunction == "if":
            tense = choose.pick((PRESENT, PRESENT, FUTURE, "can", "must", "should"))
        main = self.clause(tense=tense, adjuncts=0.25, negative=0 if conjunction == "so that" else 0.13)
        second = {"if": PRESENT, "so that": "can", "while": main.tense, "before": main.tense}.get(conjunction)
        if second is None:
            second = PAST if main.tense == PAST else choose.pick((PRESENT, PRESENT, "must", "want", "can"))
        subordinate = self._subordinate(main.subject, second)
        return self._join(conjunction, main, subordinate, first_ok=conjunction != "so that")

    def _subordinate(self, antecedent, tense):
        choose = self.choose
        subject = self._referring(antecedent)
        if tense in (PRESENT, PAST) and choose.chance(0.3):
            clause = Clause(subject, lex.BE, tense)
            clause.predicate = choose.pick(_STATES_OF_PEOPLE[1:])
            clause.negative = choose.chance(0.15)
            return clause
        clause = self.clause(subject, tense, adjuncts=0.2, negative=0.1)
        clause.frequency = None
        return clause

    def _join(self, conjunction, main, subordinate, first_ok=True):
        """Main clause and subordinate one, or the other way round with inversion."""
        german = "%s %s" % (_CONJUNCTIONS[conjunction], subordinate.german_final())
        english = "%s %s" % (conjunction, subordinate.english())
        if first_ok and self.choose.chance(0.4):
            return finish("%s , %s" % (english, main.english()), main.german_second(german + " ,"))
        return finish("%s %s" % (main.english(), english), "%s , %s" % (main.german_second(), german))

    def _when_young(self):
        main = self.clause(tense=PAST, adjuncts=0.2, negative=0.1)
        main.time = None
        young = Clause(self._referring(main.subject, 0.8), lex.BE, PAST)
        young.predicate = self.choose.pick(_STATES_OF_PEOPLE)
        english, german = "when " + young.english(), "als " + young.german_final()
        if self.choose.chance(0.4):
            return finish("%s , %s" % (english, main.english()), main.german_second(german + " ,"))
        return finish("%s %s" % (main.english(), english), "%s , %s" % (main.german_second(), german))

    def _weather(self):
        choose = self.choose
        it = pronoun_for(noun_phrase(lex.DRESS, "the"))  # es
        conjunction = choose.pick(("because", "although", "if"))
        tense = PRESENT if conjunction == "if" else choose.pick((PRESENT, PRESENT, PAST))
        weather = Clause(it, choose.pick((lex.RAIN, lex.SNOW)), tense)
        main_tense = PAST if tense == PAST else choose.pick((PRESENT, FUTURE, "must", "can"))
        main = self.clause(tense=main_tense, adjuncts=0.3)
        return self._join(conjunction, main, weather)

    def _coordinated(self):
        choose = self.choose
        first = self.clause(adjuncts=0.2)
        second = self.clause(self._referring(first.subject, 0.3), adjuncts=0.2)
        english, german = choose.pick((("and", "und"), (", but", ", aber")))
        return finish("%s %s %s" % (first.english(), english, second.english()),
                      "%s %s %s" % (first.german_second(), german, second.german_second()))  # fmt: skip

    # Complements -----------------------------------------------------------------------------------------------

    def _complement(self):
        """that and dass, whether and ob, and embedded questions."""
        choose = self.choose
        subject = choose.subject()
        kind = choose.weighted((6, "that"), (3, "whether"), (2, "where"), (2, "why"), (1, "who"))
        inner_subject = who() if kind == "who" else self._referring(subject, 0.3)
        inner = self.clause(inner_subject, adjuncts=0.25, negative=0 if kind == "who" else 0.12)
        inner.frequency = None
        told = PAST if inner.tense == PAST else PRESENT
        if kind == "that":
            outer = Clause(subject, choose.pick(lex.SAY), choose.pick((PRESENT, PRESENT, told)))
            if outer.verb not in (lex.HOPE, lex.SAY[0]):
                outer.negative = choose.chance(0.2)
            return self._embed(outer, "that", "dass", inner)
        if choose.chance(0.5):
            outer = Clause(subject, lex.KNOW, PRESENT)
            outer.negative = True
        else:
            outer = Clause(subject, lex.ASK, choose.pick((PRESENT, told)))
            # "asks the man who sings" would be a question about the man
            outer.accusative = choose.other_person(subject) if kind != "who" and choose.chance(0.6) else None
        if kind == "where":
            verb = choose.pick([v for v in lex.INTRANSITIVE if "place" in v.tags] + [lex.LIVE, lex.LIVE, lex.LIVE])
            inner = Clause(inner_subject, verb, inner.tense)
        if kind == "who":
            return self._embed(outer, "who", "wer", inner, subject=False)
        return self._embed(outer, kind, {"whether": "ob", "where": "wo", "why": "warum"}[kind], inner)

    @staticmethod
    def _embed(outer, english, german, inner, subject=True):
        return finish("%s %s %s" % (outer.english(), english, inner.english(subject=subject)),
                      "%s , %s %s" % (outer.german_second(), german, inner.german_final(subject=subject)))  # fmt: skip

    def _infinitive(self):
        choose = self.choose
        subject = choose.subject()
        inner = self._infinitive_clause(subject)
        if choose.chance(0.5):
            outer = Clause(subject, choose.pick(lex.TRY), choose.pick((PRESENT, PRESENT, PAST)))
            if outer.verb is lex.TRY[0]:
                outer.tense = choose.pick((PRESENT, PAST, FUTURE, "must", "want"))
                outer.negative = choose.chance(0.15)
            while inner.verb.en == outer.verb.en:
                inner = self._infinitive_clause(subject)
            german = inner.german_zu()
        else:
            outer = self._motion(subject, choose.pick((PRESENT, PRESENT, PAST, FUTURE, "want", "must")), False, 0.2)
            german = "um " + inner.german_zu()
        return finish("%s %s" % (outer.english(), inner.english_infinitive()),
                      "%s , %s" % (outer.german_second(), german))  # fmt: skip

    def _infinitive_clause(self, subject):
        frame = self.choose.weighted((6, self._transitive), (2, self._dative), (2, self._consuming),
                                     (1, self._prepositional), (2, self._ditransitive))  # fmt: skip
        return frame(subject, PRESENT, False, 0)

    # Relative clauses ------------------------------------------------------------------------------------------

    def _head(self, people):
        """A noun for a relative clause to describe."""
        choose = self.choose
        if people:
            noun = choose.pick(lex.PEOPLE)
            determiner, plural = choose.weighted((70, ("the", False)), (8, ("every", False)), (22, ("the", True)))
            return noun_phrase(noun, determiner, choose.adjectives(noun, 0.15), plural)
        noun = choose.pick([n for n in lex.THINGS if "goods" in n.tags or "read" in n.tags])
        return noun_phrase(noun, "the", choose.adjectives(noun, 0.2), choose.chance(0.2))

    def _relative_on(self, head):
        """A short relative clause on a person or a thing."""
        choose = self.choose
        roles = ((5, "subject"), (3, "accusative"), (2, "dative"), (2, "object"), (2, "whose"))
        role = choose.weighted(*roles) if head.human else "accusative"
        if role == "subject":
            inner = self.clause(head, choose.pick((PRESENT, PAST, "can", "must")), adjuncts=0.15, negative=0.1)
            inner.frequency = None
            return relative(head, inner, role)
        if role == "whose":
            noun = choose.pick(lex.RELATIVES)
            owned = noun_phrase(noun, "")
            inner = self._short(owned, choose.pick((PRESENT, PAST)))
            return whose(head, inner)
        subject = choose.subject()
        tense = choose.pick((PRESENT, PAST))
        if role == "object":
            verb = choose.pick([v for v in lex.PREPOSITIONAL if "person" in v.tags and not v.reflexive])
        else:
            verbs = lex.DATIVE if role == "dative" else lex.TRANSITIVE + lex.STATES
            tags = head.noun.tags
            verb = choose.pick([v for v in verbs if set(v.tags) & tags])
        inner = Clause(subject, verb, tense)
        if inner.unclear_tense():
            inner.tense = PRESENT
        inner.negative = choose.chance(0.08)
        setattr(inner, role, head)
        return relative(head, inner, role)

    def _short(self, subject, tense):
        frame = self.choose.pick((self._intransitive, self._living, self._dative))
        return frame(subject, tense, False, 0)

    def _which_subject(self):
        """The man who sleeps is old."""
        choose = self.choose
        head = self._head(choose.chance(0.65))
        english, german = self._relative_on(head)
        if head.human and choose.chance(0.5):
            clause = self.clause(head, choose.pick((PRESENT, PAST, "can", "want")), adjuncts=0.15, negative=0.1)
        else:
            clause = self._be(head, self._quality(head), future=0)
        clause.frequency = None
        described = noun_phrase(head.noun, "the")
        described.__dict__.update(head.__dict__)
        described.en = "%s %s" % (head.en, english)
        described.de = {"nom": "%s %s" % (head.de["nom"], german)}
        clause.subject = described
        if clause.time:
            clause.time = None
        return finish(clause.english(), clause.german_second())

    def _which_object(self):
        """Anna reads the book that Peter has bought; this is the man whom Peter helps."""
        choose = self.choose
        if choose.chance(0.3):
            head = self._head(choose.chance(0.6))
            if head.en.startswith("every"):
                head = noun_phrase(head.noun, "the")
            english, german = self._relative_on(head)
            start = ("these are", "das sind") if head.plural else ("this is", "das ist")
            return finish("%s %s %s" % (start[0], head.en, english), "%s %s %s" % (start[1], head.de["nom"], german))
        clause = Clause(choose.subject(), choose.pick(lex.TRANSITIVE), choose.tense())
        verb = clause.verb
        if clause.unclear_tense():
            clause.tense = FUTURE
        if verb.tags == ("person",) or "person" in verb.tags and choose.chance(0.5):
            head = self._head(True)
        else:
            noun = choose.pick(with_tags(lex.THINGS + lex.PLACES + lex.VEHICLES, set(verb.tags) - {"person"}))
            determiner, plural = choose.pick((("the", False), ("the", False), ("a", False), ("the", True)))
            head = noun_phrase(noun, determiner, choose.adjectives(noun), plural)
        clause.accusative = head
        clause.after_accusative = self._relative_on(head)
        return finish(clause.english(), clause.german_second())

    # Pronouns that agree ---------------------------------------------------------------------------------------

    def _agreeing_pronoun(self):
        """It and they for things: er, sie or es by the gender of the noun."""
        choose = self.choose
        kind = choose.weighted((3, "because"), (3, "but"), (3, "give"), (2, "if"), (2, "two"))
        if kind == "give":
            return self._give_it()
        verb = choose.pick([v for v in lex.TRANSITIVE + lex.STATES if "goods" in v.tags or "read" in v.tags
                            or "mend" in v.tags or "clothes" in v.tags or "switch" in v.tags])  # fmt: skip
        tags = [t for t in verb.tags if t not in ("person", "visited", "animal")]
        thing = choose.thing(tags, definite=True)
        while not thing.plural and thing.en.count("'"):
            thing = choose.thing(tags, definite=True)
        subject = choose.subject()
        be = Clause(thing, lex.BE, PRESENT)
        be.predicate = self._quality(thing)
        doing = Clause(subject, verb, choose.pick((PRESENT, "can", "want", "must", FUTURE)))
        if verb in lex.STATES:
            doing.tense = PRESENT
        doing.negative = choose.chance(0.3)
        it = pronoun_for(thing)
        if kind == "because":
            doing.accusative = thing
            doing.negative = False
            be.subject = it
            return finish("%s because %s" % (doing.english(), be.english()),
                          "%s , weil %s" % (doing.german_second(), be.german_final()))  # fmt: skip
        if kind == "two":
            return self._two_sentences(thing, it)
        doing.accusative = it
        if kind == "if":
            return finish("if %s , %s" % (be.english(), doing.english()),
                          doing.german_second("wenn %s ," % be.german_final()))  # fmt: skip
        english, german = (", but", ", aber") if doing.negative else ("and", "und")
        return finish("%s %s %s" % (be.english(), english, doing.english()),
                      "%s %s %s" % (be.german_second(), german, doing.german_second()))  # fmt: skip

    def _give_it(self):
        """Anna buys a lamp and gives it to her brother."""
        choose = self.choose
        subject = choose.subject()
        thing = choose.thing(("goods",))
        taking = Clause(subject, choose.pick([v for v in lex.TRANSITIVE if v.en in ("buy", "find")]), PRESENT)
        taking.accusative = thing
        verb = choose.pick([v for v in lex.DITRANSITIVE if v.en in ("give", "show", "bring")])
        giving = Clause(subject, verb, PRESENT)
        giving.accusative = pronoun_for(thing)
        other = choose.other_person(subject, 0)
        english = "%s and %s to %s" % (taking.english(), giving.english(subject=False), other.en)
        giving.dative = other
        finite = giving.german_second().split(" ", len(subject.de["nom"].split()))[-1]
        return finish(english, "%s und %s" % (taking.german_second(), finite))

    def _two_sentences(self, thing, it):
        """Where is my key? I cannot find it."""
        choose = self.choose
        where = Clause(thing, lex.BE, PRESENT)
        verb = choose.pick([v for v in lex.TRANSITIVE if v.en in ("find", "see", "look")])
        search = Clause(pronoun(choose.pick(tuple(PRONOUNS))), verb, "can" if verb.en != "look" else "must")
        search.accusative = it
        search.negative = verb.en != "look"
        first = finish("where " + where.english(question=True), where.german_second("wo"), "?")
        second = finish(search.english(), search.german_second())
        return "%s %s" % (first[0], second[0]), "%s %s" % (first[1], second[1])

    # Existence, numbers and times ------------------------------------------------------------------------------

    def _there_is(self):
        """There is a new hotel in the village: es gibt with the accusative."""
        choose = self.choose
        noun = choose.pick([n for n in lex.PLACES if "built" in n.tags])
        plural = choose.chance(0.4)
        determiner = choose.pick(("many",) + tuple(n for n, _ in lex.NUMBERS[:4])) if plural else "a"
        what = noun_phrase(noun, determiner, choose.adjectives(noun, 0.5), plural)
        noun = choose.pick([n for n in lex.PLACES if n.en in ("city", "village")])
        place = noun_phrase(noun, choose.pick(("the", "this", "our", "your")), choose.adjectives(noun, 0.2))
        where = choose.put_place("in", place)
        verb, de_what = "are" if plural else "is", what.de["acc"]
        if choose.chance(0.5):
            return finish("%s there %s %s" % (where[0], verb, what.en), "%s gibt es %s" % (where[1], de_what))
        if choose.chance(0.3):
            return finish("%s there %s %s" % (verb, what.en, where[0]), "gibt es %s %s" % (de_what, where[1]), "?")
        return finish("there %s %s %s" % (verb, what.en, where[0]), "es gibt %s %s" % (de_what, where[1]))

    def _number(self):
        """Prices and ages, in digits and words."""
        choose = self.choose
        if choose.chance(0.4):
            noun = choose.pick([n for n in lex.THINGS if "goods" in n.tags])
            thing = noun_phrase(noun, choose.pick(("the", "the", "this", "my", "your")), choose.adjectives(noun, 0.4))
            price = str(choose.pick(lex.PRICES))
            cost = Clause(thing, lex.COST, PRESENT)
            if choose.chance(0.25):
                return finish("how much " + cost.english(question=True), cost.german_second("wie viel"), "?")
            return finish("%s %s euros" % (cost.english(), price), "%s %s Euro" % (cost.german_second(), price))
        subject = choose.subject()
        be = Clause(subject, lex.BE, PRESENT)
        if choose.chance(0.2):
            return finish("how old " + be.english(question=True), be.german_second("wie alt"), "?")
        en, de = choose.years()
        be.predicate = ("%s years old" % en, "%s Jahre alt" % de)
        return finish(be.english(), be.german_second())

    def _timetable(self):
        """The train to Berlin departs at half past six."""
        choose = self.choose
        vehicle = noun_phrase(choose.pick(lex.VEHICLES), choose.pick(("the", "the", "this", "our")))
        en_city, de_city = choose.city()
        verb, en, de = choose.pick(((lex.DEPART, "to", "nach"), (lex.ARRIVE, "from", "aus")))
        if choose.chance(0.7):
            vehicle.en += " %s %s" % (en, en_city)
            vehicle.de = {"nom": "%s %s %s" % (vehicle.de["nom"], de, de_city)}
        clause = Clause(vehicle, verb, choose.pick((PRESENT, PRESENT, PAST, FUTURE)))
        if choose.chance(0.2):
            return finish("when " + clause.english(question=True), clause.german_second("wann"), "?")
        en, de = choose.clock()
        clause.time = ("at " + en, "um " + de)
        return finish(clause.english(), clause.german_second())

"""Random clauses: a subject, a verb that fits it, its objects, and when and where."""

from . import lexicon as lex
from .choices import Choices
from .clauses import PAST, PRESENT, Clause
from .phrases import pronoun


class Meanings:
    """clause() makes a random clause about a person."""

    def __init__(self, seed):
        self.choose = Choices(seed)

    def clause(self, subject=None, tense=None, adjuncts=0.45, negative=0.13):
        """A random clause about a person; `adjuncts` is how likely each time and place is."""
        choose = self.choose
        subject = subject or choose.subject()
        state = choose.chance(0.08) and tense in (None, PRESENT, PAST)
        tense = tense or choose.tense(state)
        negated = choose.chance(negative) and tense != "would like"
        clause = self._framed(subject, tense, negated, adjuncts, state)
        while clause.unclear_tense():
            clause = self._framed(subject, tense, negated, adjuncts, state)
        untimed = state or clause.verb in (lex.LIVE, lex.DATIVE[-1])
        if not negated and tense in (PRESENT, PAST) and choose.chance(0.12):
            clause.frequency = choose.pick(lex.FREQUENCY)
        elif not untimed and choose.chance(adjuncts * 0.75):
            clause.time = choose.time(tense, negated)
        return clause

    def _framed(self, subject, tense, negated, adjuncts, state):
        """A verb with its objects and places."""
        choose = self.choose
        frame = self._state if state else choose.weighted(
            (30, self._transitive), (11, self._dative), (11, self._ditransitive), (10, self._prepositional),
            (15, self._intransitive), (11, self._motion), (4, self._consuming), (5, self._placing), (3, self._living),
        )  # fmt: skip
        clause = frame(subject, tense, negated, adjuncts)
        clause.negative = negated
        return clause

    def _transitive(self, subject, tense, negated, adjuncts):
        clause = Clause(subject, self.choose.pick(lex.TRANSITIVE), tense)
        clause.accusative = self.choose.object_for(clause.verb, subject, negated)
        return clause

    def _state(self, subject, tense, negated, adjuncts):
        clause = Clause(subject, self.choose.pick(lex.STATES), tense)
        clause.accusative = self.choose.object_for(clause.verb, subject, negated)
        return clause

    def _consuming(self, subject, tense, negated, adjuncts):
        clause = Clause(subject, self.choose.pick(lex.CONSUME), tense)
        clause.accusative = self.choose.object_for(clause.verb, subject, negated)
        return clause

    def _dative(self, subject, tense, negated, adjuncts):
        clause = Clause(subject, self.choose.pick(lex.DATIVE), tense)
        clause.dative = self.choose.other_person(subject)
        return clause

    def _ditransitive(self, subject, tense, negated, adjuncts):
        clause = Clause(subject, self.choose.pick(lex.DITRANSITIVE), tense)
        clause.dative = self.choose.other_person(subject)
        clause.accusative = self.choose.thing(clause.verb.tags, negated)
        if clause.dative.en == "she" and clause.accusative.en == clause.accusative.noun.en_plural:
            clause.dative = pronoun("he")  # "gives her books" could be her books
        return clause

    def _prepositional(self, subject, tense, negated, adjuncts):
        choose = self.choose
        clause = Clause(subject, choose.pick(lex.PREPOSITIONAL), tense)
        tags = clause.verb.tags
        if "person" in tags and choose.chance(0.6 if len(tags) > 1 else 1.0):
            clause.object = choose.other_person(subject)
        else:
            clause.object = choose.thing([t for t in tags if t != "person"], definite=True)
        return clause

    def _intransitive(self, subject, tense, negated, adjuncts):
        choose = self.choose
        clause = Clause(subject, choose.pick(lex.INTRANSITIVE), tense)
        tags = clause.verb.tags
        if "manner" in tags and not negated and choose.chance(0.2):
            clause.manner = choose.pick(lex.MANNER)
        elif "company" in tags and choose.chance(adjuncts * 0.5):
            clause.places.append(choose.company(subject))
        if "place" in tags and choose.chance(adjuncts):
            clause.places.append(choose.location())
        return clause

    def _motion(self, subject, tense, negated, adjuncts):
        choose = self.choose
        verb = choose.weighted((4, lex.GO), (2, lex.RUN), (4, lex.TRAVEL), (1, lex.COME))
        clause = Clause(subject, verb, tense)
        if verb is lex.TRAVEL:
            if choose.chance(adjuncts * 0.7):
                clause.places.append(choose.pick((("by train", "mit dem Zug"), ("by bus", "mit dem Bus"))))
            en, de = choose.city()
            clause.places.append(("to " + en, "nach " + de))
        elif verb is lex.COME:
            en, de = choose.city()
            clause.places.append(("from " + en, "aus " + de))
        else:
            if choose.chance(adjuncts * 0.3):
                clause.places.append(choose.company(subject))
            clause.places.append(choose.destination(through=True))
        return clause

    def _placing(self, subject, tense, negated, adjuncts):
        clause = Clause(subject, self.choose.pick((lex.PUT, lex.LAY)), tense)
        clause.accusative = self.choose.thing(clause.verb.tags, negated)
        clause.places.append(self.choose.on_furniture("acc", clause.accusative.noun))
        return clause

    def _living(self, subject, tense, negated, adjuncts):
        clause = Clause(subject, lex.LIVE, tense)
        en, de = self.choose.city()
        clause.places.append(("in " + en, "in " + de))
        return clause

"""All sentence patterns, and how often each is used."""

from .compound import CompoundSentences
from .simple import SimpleSentences


class Sentences(SimpleSentences, CompoundSentences):
    """sample() gives one (English, German) pair after another; the sequence depends on the seed alone."""

    def __init__(self, seed):
        super().__init__(seed)
        self._patterns = (
            (34, self._statement), (6, self._yes_no_question), (7, self._wh_question), (3, self._order),
            (8, self._being), (4, self._liking), (11, self._connected), (8, self._complement),
            (5, self._which_subject), (6, self._which_object), (6, self._infinitive), (8, self._agreeing_pronoun),
            (3, self._coordinated), (3, self._there_is), (3, self._number), (2, self._timetable),
        )  # fmt: skip

    def sample(self):
        while True:
            english, german = self.choose.weighted(*self._patterns)()
            if 3 <= len(english.split()) <= 20:
                return english, german

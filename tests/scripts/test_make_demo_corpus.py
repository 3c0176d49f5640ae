"""Tests of scripts/make_demo_corpus.py: the promises of its help text, and the German of the grammar."""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "make_demo_corpus.py"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPT.parent))

from demo_corpus import lexicon as lex  # noqa: E402
from demo_corpus.clauses import FUTURE, PAST, PRESENT, Clause, relative, whose  # noqa: E402
from demo_corpus.phrases import both, name_phrase, noun_phrase, owned, pronoun, pronoun_for, title_phrase  # noqa: E402
from demo_corpus.phrases import after, number_words  # noqa: E402
from demo_corpus.text import finish, tidy  # noqa: E402

# Changes with the grammar; must not change with the Python version, the platform or the hash seed.
SMALL_SHA256 = "03b24ca47d428090a4c2e1432bb76466f604571ea7bd5585841afebb33e7442e"
SMALL = ("--seed", "7", "--train", "400", "--valid", "30", "--test", "30")


def run(*arguments, **environment):
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True,
                          env=dict(os.environ, **environment), check=False)  # fmt: skip


def read(folder):
    files = {name: (pathlib.Path(folder) / name).read_text(encoding="utf-8") for name in os.listdir(folder)}
    return {name: text.splitlines() for name, text in files.items()}


def words(lines):
    return {word for line in lines for word in re.findall(r"[^\s.,?!]+", line)}


def digest(folder):
    whole = hashlib.sha256()
    for name in sorted(os.listdir(folder)):
        whole.update(name.encode() + b"\0" + (pathlib.Path(folder) / name).read_bytes())
    return whole.hexdigest()


class CommandLine(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = self._folder.name
        self.addCleanup(self._folder.cleanup)

    def test_same_bytes_whatever_the_hash_seed(self):
        for hash_seed in ("0", "12345"):
            result = run("--output", self.folder, *SMALL, PYTHONHASHSEED=hash_seed)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(digest(self.folder), SMALL_SHA256)

    def test_another_seed_makes_another_corpus(self):
        run("--output", self.folder, *SMALL)
        first = digest(self.folder)
        run("--output", self.folder, "--seed", "8", *SMALL[2:])
        self.assertNotEqual(digest(self.folder), first)

    def test_splits_are_distinct_and_use_known_words(self):
        result = run("--output", self.folder, "--train", "3000", "--valid", "200", "--test", "300")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertIn("train   3000 pairs", result.stderr)
        files = read(self.folder)
        self.assertEqual(sorted(files), ["test.de", "test.en", "train.de", "train.en", "valid.de", "valid.en"])
        for language in ("en", "de"):
            splits = [files["%s.%s" % (split, language)] for split in ("train", "valid", "test")]
            self.assertEqual([len(lines) for lines in splits], [3000, 200, 300])
            everything = sum(splits, [])
            self.assertEqual(len(everything), len(set(everything)))
            self.assertLessEqual(words(splits[1] + splits[2]), words(splits[0]))

    def test_lines_are_plain_sentences(self):
        run("--output", self.folder, *SMALL)
        for name, lines in read(self.folder).items():
            for line in lines:
                self.assertRegex(line, r"^[A-ZÄÖÜ][A-Za-z0-9äöüÄÖÜß ,':?.-]*[.?!]$", name)
                self.assertNotRegex(line, r" [,.?!]|  |,,|,[.?!]", name)
                if name.endswith(".en"):
                    self.assertTrue(3 <= len(line.split()) <= 20, line)

    def test_leaves_no_temporary_files(self):
        run("--output", self.folder, *SMALL)
        self.assertEqual(len(os.listdir(self.folder)), 6)

    def test_errors_say_what_is_wrong(self):
        blocked = os.path.join(self.folder, "file")
        pathlib.Path(blocked).write_text("in the way", encoding="utf-8")
        result = run("--output", os.path.join(blocked, "demo"), *SMALL)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write to %s" % blocked, result.stderr)
        result = run("--output", self.folder, "--train", "0")
        self.assertEqual(result.returncode, 2)
        self.assertIn("argument --train: 0: must be 1 or more", result.stderr)
        result = run("--seed", "1")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--output", result.stderr)

    def test_too_few_words_in_train_for_a_test_set(self):
        result = run("--output", self.folder, "--train", "1", "--test", "50")
        self.assertEqual(result.returncode, 1)
        self.assertIn("ask for fewer", result.stderr)
        self.assertEqual(os.listdir(self.folder), [])


NOUNS = {noun.en: noun for noun in lex.PEOPLE + lex.RELATIVES + lex.THINGS + lex.PLACES + lex.VEHICLES + lex.MASS}
ADJECTIVES = {adjective.en: adjective for adjective in lex.ADJECTIVES}
VERBS = {" ".join(w for w in (verb.en, verb.particle, verb.en_preposition) if w): verb for group in (
    lex.TRANSITIVE, lex.STATES, lex.DATIVE, lex.DITRANSITIVE, lex.PREPOSITIONAL, lex.INTRANSITIVE, lex.CONSUME[:1],
) for verb in group}  # fmt: skip


def phrase(determiner, noun, *adjectives, plural=False):
    return noun_phrase(NOUNS[noun], determiner, [ADJECTIVES[a] for a in adjectives], plural)


def clause(subject, verb, tense=PRESENT, **parts):
    made = Clause(subject, VERBS[verb] if isinstance(verb, str) else verb, tense)
    for name, value in parts.items():
        setattr(made, name, value)
    return made


class NounPhrases(unittest.TestCase):
    def assert_forms(self, made, english, *german):
        self.assertEqual(made.en, english)
        self.assertEqual(tuple(made.de[case] for case in ("nom", "acc", "dat")), german)

    def test_adjective_endings(self):
        self.assert_forms(phrase("the", "table", "old"), "the old table",
                          "der alte Tisch", "den alten Tisch", "dem alten Tisch")  # fmt: skip
        self.assert_forms(phrase("a", "table", "old"), "an old table",
                          "ein alter Tisch", "einen alten Tisch", "einem alten Tisch")  # fmt: skip
        self.assert_forms(phrase("my", "lamp", "expensive"), "my expensive lamp",
                          "meine teure Lampe", "meine teure Lampe", "meiner teuren Lampe")  # fmt: skip
        self.assert_forms(phrase("this", "book", "new", "interesting"), "this new interesting book",
                          "dieses neue interessante Buch", "dieses neue interessante Buch",
                          "diesem neuen interessanten Buch")  # fmt: skip
        self.assert_forms(phrase("", "coffee", "cold"), "cold coffee",
                          "kalter Kaffee", "kalten Kaffee", "kaltem Kaffee")  # fmt: skip
        self.assert_forms(phrase("", "book", "old", plural=True), "old books",
                          "alte Bücher", "alte Bücher", "alten Büchern")  # fmt: skip
        self.assert_forms(phrase("our", "car", "dark", plural=True), "our dark cars",
                          "unsere dunklen Autos", "unsere dunklen Autos", "unseren dunklen Autos")  # fmt: skip
        self.assert_forms(phrase("three", "apple", "big", plural=True), "three big apples",
                          "drei große Äpfel", "drei große Äpfel", "drei großen Äpfeln")  # fmt: skip

    def test_weak_nouns_and_titles(self):
        self.assert_forms(phrase("the", "boy"), "the boy", "der Junge", "den Jungen", "dem Jungen")
        self.assert_forms(title_phrase("Weber", "m"), "Mr Weber", "Herr Weber", "Herrn Weber", "Herrn Weber")
        self.assertEqual(phrase("the", "student").de["gen"], "des Studenten")

    def test_owners(self):
        self.assert_forms(owned(name_phrase("Max"), NOUNS["car"], [ADJECTIVES["old"]], False), "Max's old car",
                          "Max' altes Auto", "Max' altes Auto", "Max' altem Auto")  # fmt: skip
        self.assert_forms(owned(phrase("the", "woman"), NOUNS["bag"], [], False), "the woman's bag",
                          "die Tasche der Frau", "die Tasche der Frau", "der Tasche der Frau")  # fmt: skip

    def test_pronouns_take_the_gender_of_the_noun(self):
        forms = {noun: pronoun_for(phrase("the", noun)).de["acc"] for noun in ("coat", "lamp", "dress")}
        self.assertEqual(forms, {"coat": "ihn", "lamp": "sie", "dress": "es"})
        self.assertEqual(pronoun_for(phrase("the", "coat", plural=True)).en_object, "them")

    def test_contractions_and_numbers(self):
        self.assertEqual(after("in", "dem alten Garten"), "im alten Garten")
        self.assertEqual(after("zu", "der Schule"), "zur Schule")
        self.assertEqual(after("an", "das Dorf"), "an das Dorf")
        self.assertEqual(number_words(27), ("twenty-seven", "siebenundzwanzig"))
        self.assertEqual(number_words(40), ("forty", "vierzig"))


class Clauses(unittest.TestCase):
    def assert_main(self, made, english, german):
        self.assertEqual(finish(made.english(), made.german_second()), (english, german))

    def test_separable_verbs(self):
        call = clause(name_phrase("Anna"), "call", accusative=phrase("the", "doctor"))
        self.assert_main(call, "Anna calls the doctor.", "Anna ruft den Arzt an.")
        self.assertEqual(call.german_final(), "Anna den Arzt anruft")
        self.assertEqual(call.german_zu(), "den Arzt anzurufen")
        call.tense = PAST
        self.assert_main(call, "Anna called the doctor.", "Anna hat den Arzt angerufen.")
        self.assertEqual(call.german_final(), "Anna den Arzt angerufen hat")
        call.tense = "must"
        self.assert_main(call, "Anna must call the doctor.", "Anna muss den Arzt anrufen.")
        self.assertEqual(call.german_final(), "Anna den Arzt anrufen muss")

    def test_verb_second_and_first(self):
        buy = clause(pronoun("he"), "buy", time=("today", "heute"), accusative=phrase("a", "table", "old"))
        self.assertEqual(buy.german_second("heute", time=False), "heute kauft er einen alten Tisch")
        self.assertEqual(buy.german_second(""), "kauft er heute einen alten Tisch")
        self.assertEqual(buy.english(question=True), "does he buy an old table today")
        get_up = clause(name_phrase("Anna"), "get up", PAST)
        self.assertEqual(get_up.german_second("gestern"), "gestern ist Anna aufgestanden")

    def test_negation(self):
        for determiner, german in (("a", "Anna kauft kein Buch."), ("the", "Anna kauft das Buch nicht.")):
            made = clause(name_phrase("Anna"), "buy", accusative=phrase(determiner, "book"), negative=True)
            self.assert_main(made, "Anna does not buy %s book." % determiner, german)
        made = clause(pronoun("you"), "drink", "must", accusative=phrase("", "coffee"), negative=True)
        self.assert_main(made, "You do not have to drink coffee.", "Du musst keinen Kaffee trinken.")
        made = clause(pronoun("we"), "wait for", PRESENT, object=phrase("the", "bus"), negative=True)
        self.assert_main(made, "We do not wait for the bus.", "Wir warten nicht auf den Bus.")

    def test_order_of_objects(self):
        made = clause(pronoun("I"), "give", FUTURE, dative=phrase("my", "brother"), accusative=phrase("the", "key"),
                      time=("tomorrow", "morgen"))  # fmt: skip
        self.assert_main(made, "I will give my brother the key tomorrow.",
                         "Ich werde morgen meinem Bruder den Schlüssel geben.")
        made.dative, made.accusative = phrase("my", "brother"), pronoun_for(phrase("the", "key"))
        self.assertEqual(made.german_final(), "ich ihn morgen meinem Bruder geben werde")

    def test_reflexive_verbs(self):
        made = clause(phrase("the", "woman"), "remember", object=phrase("the", "village"))
        self.assert_main(made, "The woman remembers the village.", "Die Frau erinnert sich an das Dorf.")
        self.assertEqual(made.german_second("heute"), "heute erinnert sich die Frau an das Dorf")
        made.subject = pronoun("I")
        self.assertEqual(made.german_second("heute"), "heute erinnere ich mich an das Dorf")

    def test_words_of_several_parts_keep_their_blanks(self):
        made = clause(pronoun("we"), "look forward to", FUTURE, object=phrase("the", "cake"))
        self.assert_main(made, "We will look forward to the cake.", "Wir werden uns auf den Kuchen freuen.")
        self.assertEqual(ADJECTIVES["beautiful"].en_comparative, "more beautiful")

    def test_being_having_and_liking(self):
        made = clause(both(name_phrase("Anna"), name_phrase("Paul")), lex.BE, PAST, predicate=("tired", "müde"))
        self.assert_main(made, "Anna and Paul were tired.", "Anna und Paul waren müde.")
        made = clause(pronoun("she"), "have", PAST, accusative=phrase("a", "dog"))
        self.assert_main(made, "She had a dog.", "Sie hatte einen Hund.")
        made = clause(pronoun("they"), "drink", accusative=phrase("", "tea"), gladly=True)
        self.assert_main(made, "They like to drink tea.", "Sie trinken gern Tee.")

    def test_relative_clauses(self):
        woman, table = phrase("the", "woman"), phrase("the", "table")
        dance = clause(woman, "dance", PAST)
        self.assertEqual(relative(woman, dance, "subject"), ("who danced", ", die getanzt hat ,"))
        helped = clause(name_phrase("Peter"), "help", dative=woman)
        self.assertEqual(relative(woman, helped, "dative"), ("whom Peter helps", ", der Peter hilft ,"))
        buy = clause(pronoun("we"), "buy", PAST, accusative=table)
        self.assertEqual(relative(table, buy, "accusative"), ("that we bought", ", den wir gekauft haben ,"))
        men = phrase("the", "man", plural=True)
        talk = clause(pronoun("I"), "talk to", object=men)
        self.assertEqual(relative(men, talk, "object"), ("to whom I talk", ", mit denen ich spreche ,"))
        sleep = clause(noun_phrase(NOUNS["sister"], ""), "sleep")
        self.assertEqual(whose(phrase("the", "man"), sleep), ("whose sister sleeps", ", dessen Schwester schläft ,"))

    def test_commas(self):
        self.assertEqual(tidy("der Mann , der schläft , , dass , ."), "Der Mann, der schläft, dass.")


if __name__ == "__main__":
    unittest.main()

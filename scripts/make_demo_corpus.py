#!/usr/bin/env python3
"""Writes the demo corpus: English sentences and their German translations, made from a grammar.

    make_demo_corpus.py --output data/demo

makes train, valid and test, each as .en and .de, one sentence per line. The same options give the same bytes on every
Python from 3.8 on. No sentence occurs twice; valid and test use only words that occur in train.
"""

import argparse
import os
import re
import sys

sys.dont_write_bytecode = True  # leave no __pycache__ in the source tree

from demo_corpus.sentences import Sentences  # noqa: E402

# So many samples in a row that give nothing new mean that the grammar is exhausted.
_PATIENCE = 20000
_WORD = re.compile(r"[^\s.,?!]+")


class CorpusError(Exception):
    """Something the person who called can mend."""


def words_of(sentence):
    return _WORD.findall(sentence)


class Corpus:
    """Draws pairs whose two sentences are both new."""

    def __init__(self, seed):
        self._sentences = Sentences(seed)
        self._german_of = {}
        self._germans = set()

    def draw(self, count, accept=None):
        """`count` new pairs for which accept(english, german) holds."""
        pairs, failures = [], 0
        while len(pairs) < count:
            english, german = self._sentences.sample()
            if self._german_of.setdefault(english, german) != german:
                raise CorpusError("the grammar translates one sentence in two ways: " + english)
            if german in self._germans or (accept and not accept(english, german)):
                failures += 1
                if failures > _PATIENCE:
                    raise CorpusError("the grammar cannot make that many sentences: ask for fewer")
                continue
            failures = 0
            self._germans.add(german)
            pairs.append((english, german))
        return pairs


def make_splits(seed, sizes):
    """{split: pairs}; every word of valid and test occurs in train."""
    corpus = Corpus(seed)
    train = corpus.draw(sizes["train"])
    known = [{word for pair in train for word in words_of(pair[side])} for side in (0, 1)]

    def all_known(*pair):
        return all(known[side].issuperset(words_of(pair[side])) for side in (0, 1))

    held_out = {split: corpus.draw(sizes[split], all_known) for split in ("valid", "test")}
    return dict(train=train, **held_out)


def write_atomically(path, lines):
    temporary = "%s.%d.tmp" % (path, os.getpid())
    try:
        with open(temporary, "w", encoding="utf-8", newline="\n") as out:
            out.writelines(line + "\n" for line in lines)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise


def summary(splits, folder):
    lines = []
    for split, pairs in splits.items():
        lengths = [len(words_of(english)) for english, _ in pairs]
        lines.append("%-5s %6d pairs, %.1f English words on average (%d to %d)" % (
            split, len(pairs), sum(lengths) / len(lengths), min(lengths), max(lengths)))  # fmt: skip
    for side, language in enumerate(("English", "German")):
        forms = {word for pair in splits["train"] for word in words_of(pair[side])}
        lines.append("%d %s word forms" % (len(forms), language))
    return "\n".join(lines + ["written to %s" % folder])


def parse_arguments():
    parser = argparse.ArgumentParser(description="Write an English-German demo corpus made from a grammar.")

    def positive(text):
        value = int(text)
        if value < 1:
            raise argparse.ArgumentTypeError("%s: must be 1 or more" % text)
        return value

    parser.add_argument("--output", required=True, metavar="DIR", help="the folder to write to; created if missing")
    parser.add_argument("--seed", type=int, default=1, help="another seed, another corpus (default: 1)")
    for split, size in (("train", 20000), ("valid", 500), ("test", 500)):
        parser.add_argument("--" + split, type=positive, default=size, metavar="N",
                            help="pairs in %s (default: %d)" % (split, size))  # fmt: skip
    return parser.parse_args()


def main():
    options = parse_arguments()
    try:
        os.makedirs(options.output, exist_ok=True)
        splits = make_splits(options.seed, {split: getattr(options, split) for split in ("train", "valid", "test")})
        for split, pairs in splits.items():
            for side, language in enumerate(("en", "de")):
                path = os.path.join(options.output, "%s.%s" % (split, language))
                write_atomically(path, [pair[side] for pair in pairs])
    except CorpusError as error:
        sys.exit("make_demo_corpus.py: %s" % error)
    except OSError as error:
        sys.exit("make_demo_corpus.py: cannot write to %s: %s" % (options.output, error.strerror))
    print(summary(splits, options.output), file=sys.stderr)


if __name__ == "__main__":
    main()

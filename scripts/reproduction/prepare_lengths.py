#!/usr/bin/env python3
"""Writes a corpus as plain text, with the training pairs cut to limits of length.

    prepare_lengths.py --from DIR --languages en-fr --limits 30,50 --output data/figure2

DIR holds train, dev and test in both languages, plain or gzip: train.en or train.en.gz. The output has trainN.en and
trainN.fr for each limit N, the pairs of train with 1 to N words on either side (words are what blanks separate), and
dev and test as they are.
"""

import argparse
import gzip
import os
import sys


class CorpusError(Exception):
    """Something the person who called can mend."""


def read_lines(folder, name):
    for path in (os.path.join(folder, name), os.path.join(folder, name + ".gz")):
        if os.path.isfile(path):
            with open(path, "rb") as start:
                packed = start.read(2) == b"\x1f\x8b"
            try:
                with (gzip.open if packed else open)(path, "rb") as text:
                    lines = text.read().split(b"\n")
                    return lines[:-1] if not lines[-1] else lines
            except (OSError, EOFError) as error:
                raise CorpusError("%s cannot be read: %s" % (path, error)) from error
    raise CorpusError("%s has neither %s nor %s.gz" % (folder, name, name))


def read_pairs(folder, name, languages):
    source, target = (read_lines(folder, "%s.%s" % (name, language)) for language in languages)
    if len(source) != len(target):
        raise CorpusError("%s: %s.%s has %d lines, %s.%s has %d"
                          % (folder, name, languages[0], len(source), name, languages[1], len(target)))  # fmt: skip
    return list(zip(source, target))


def within(pairs, limit):
    return [pair for pair in pairs if all(0 < len(side.split()) <= limit for side in pair)]


def write_pairs(folder, name, languages, pairs):
    for side, language in enumerate(languages):
        path = os.path.join(folder, "%s.%s" % (name, language))
        with open(path + ".new", "wb") as text:
            text.writelines(pair[side] + b"\n" for pair in pairs)
        os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="folder", required=True, metavar="DIR")
    parser.add_argument("--languages", default="en-fr", help="source-target (default: en-fr)")
    parser.add_argument("--limits", default="30,50", help="words, between commas (default: 30,50)")
    parser.add_argument("--output", required=True, metavar="DIR")
    arguments = parser.parse_args()
    languages = arguments.languages.split("-")
    if len(languages) != 2:
        parser.error("--languages: '%s' is not like en-fr" % arguments.languages)
    limits = [int(limit) for limit in arguments.limits.split(",")]
    os.makedirs(arguments.output, exist_ok=True)
    train = read_pairs(arguments.folder, "train", languages)
    for limit in limits:
        kept = within(train, limit)
        if not kept:
            raise CorpusError("no training pair has at most %d words on either side" % limit)
        write_pairs(arguments.output, "train%d" % limit, languages, kept)
        print("train%d: %d of %d pairs" % (limit, len(kept), len(train)))
    for name in ("dev", "test"):
        pairs = read_pairs(arguments.folder, name, languages)
        write_pairs(arguments.output, name, languages, pairs)
        print("%s: %d pairs" % (name, len(pairs)))


if __name__ == "__main__":
    try:
        main()
    except CorpusError as error:
        sys.exit("prepare_lengths.py: %s" % error)

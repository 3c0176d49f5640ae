#!/usr/bin/env python3
"""BLEU against the length of the source sentence.

    bleu_by_length.py --program softalign --source test.en --references test.fr --output bleu.tsv NAME=FILE...

groups the sentences by the words of the source (what blanks separate), 1 to WIDTH, WIDTH + 1 to 2 WIDTH and so on up to
LAST and one group beyond, and has `softalign evaluate` score each group of each FILE of translations. The table has a
line for each NAME and group, and one for all sentences: name, lengths, sentences, mean words, BLEU.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

COLUMNS = ("model", "length", "sentences", "mean_words", "bleu")

Bucket = collections.namedtuple("Bucket", "label lines words")  # line numbers from 0, words of them all together


class TableError(Exception):
    """Something the person who called can mend."""


def label(words, width, last):
    """The group of a sentence of so many words."""
    if words > last:
        return "%d-" % (last + 1)
    first = max(words - 1, 0) // width * width + 1
    return "%d-%d" % (first, min(first + width - 1, last))


def make_buckets(lengths, width, last):
    """The groups that have sentences, by length, then one of all sentences. Empty lines belong to none."""
    groups = {}
    for line, words in enumerate(lengths):
        if words > 0:
            groups.setdefault(label(words, width, last), []).append(line)
    ordered = sorted(groups.items(), key=lambda group: int(group[0].split("-")[0]))
    ordered.append(("all", [line for line, words in enumerate(lengths) if words > 0]))
    return [Bucket(name, lines, sum(lengths[line] for line in lines)) for name, lines in ordered]


def read_lines(path):
    try:
        with open(path, "rb") as text:
            lines = text.read().split(b"\n")
    except OSError as error:
        raise TableError("%s cannot be read: %s" % (path, error.strerror)) from error
    return lines[:-1] if not lines[-1] else lines


def score(program, tokenize, folder, hypotheses, references, lines):
    """BLEU of these lines by softalign evaluate."""
    paths = []
    for name, text in (("hypotheses", hypotheses), ("references", references)):
        paths.append(os.path.join(folder, name))
        with open(paths[-1], "wb") as part:
            part.writelines(text[line] + b"\n" for line in lines)
    command = [program, "evaluate", "--hypotheses", paths[0], "--references", paths[1], "--tokenize", tokenize,
               "--format", "json"]  # fmt: skip
    result = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if result.returncode != 0:
        raise TableError("%s evaluate ended with status %d" % (program, result.returncode))
    return json.loads(result.stdout)["score"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the softalign to score with")
    parser.add_argument("--source", required=True)
    parser.add_argument("--references", required=True)
    parser.add_argument("--width", type=int, default=10, help="words a group (default: 10)")
    parser.add_argument("--last", type=int, default=60, help="longer sentences are one group (default: 60)")
    parser.add_argument("--tokenize", default="13a", help="BLEU's tokenizer (default: 13a)")
    parser.add_argument("--output", required=True, metavar="TSV")
    parser.add_argument("translations", nargs="+", metavar="NAME=FILE")
    arguments = parser.parse_args()
    if arguments.width < 1 or arguments.last < arguments.width:
        parser.error("--width must be 1 or more, and --last no less than it")

    references = read_lines(arguments.references)
    lengths = [len(line.split()) for line in read_lines(arguments.source)]
    buckets = make_buckets(lengths, arguments.width, arguments.last)
    rows = ["\t".join(COLUMNS)]
    with tempfile.TemporaryDirectory() as folder:
        for translation in arguments.translations:
            name, _, path = translation.partition("=")
            hypotheses = read_lines(path)
            if not len(hypotheses) == len(references) == len(lengths):
                raise TableError("%s has %d lines, %s %d and %s %d: they must be equally many"
                                 % (path, len(hypotheses), arguments.references, len(references), arguments.source,
                                    len(lengths)))  # fmt: skip
            for bucket in buckets:
                bleu = score(arguments.program, arguments.tokenize, folder, hypotheses, references, bucket.lines)
                rows.append("%s\t%s\t%d\t%.1f\t%.2f" % (name, bucket.label, len(bucket.lines),
                                                       bucket.words / len(bucket.lines), bleu))  # fmt: skip
    with open(arguments.output + ".new", "w", encoding="utf-8") as table:
        table.write("\n".join(rows) + "\n")
    os.replace(arguments.output + ".new", arguments.output)


if __name__ == "__main__":
    try:
        main()
    except TableError as error:
        sys.exit("bleu_by_length.py: %s" % error)

#!/usr/bin/env python3
"""Measures how far you can trust the confidence of translations, on text with references.

    softalign translate --model DIR --input test.en --json test.json --output test.out
    scripts/measure_confidence.py test.json test.de [--program PATH]

Takes the best translation of each sentence. A word is right if the reference has it, at most as often as it occurs there.
Prints tables in Markdown: words by their confidence, in ten equal intervals, with the share of them that are right and
the expected calibration error, the mean difference of the two (Guo et al. 2017); and fifths of the sentences, from the
least confident, with the share of their words that are right. With --program, the path of softalign, also BLEU and chrF
of each fifth. The last line is the correlation (Pearson's) of a sentence's confidence with the share of its right words.
"""

import argparse
import collections
import json
import math
import os
import subprocess
import sys
import tempfile


def right_words(words, reference):
    """Of each word, whether the reference has it; a word that it has n times is right n times."""
    left = collections.Counter(reference.split())
    right = []
    for word in words:
        right.append(left[word] > 0)
        left[word] -= 1
    return right


class Sentence:
    def __init__(self, line, reference):
        best = json.loads(line)["translations"][0]
        self.text = best["text"]
        self.reference = reference
        self.confidence = best["confidence"]
        words = self.text.split()
        confidences = best.get("word_confidences", [])
        if len(words) != len(confidences):
            raise ValueError(f"{len(words)} words with {len(confidences)} confidences: {self.text}")
        self.words = list(zip(confidences, right_words(words, reference)))

    def share_right(self):
        return mean([right for _, right in self.words])


def mean(values):
    return sum(values) / len(values)


def intervals(pairs, count=10):
    """The pairs (confidence, right) by confidence."""
    result = [[] for _ in range(count)]
    for pair in pairs:
        result[min(count - 1, int(pair[0] * count))].append(pair)
    return result


def calibration_error(pairs):
    gaps = [abs(sum(c for c, _ in part) - sum(r for _, r in part)) for part in intervals(pairs)]
    return sum(gaps) / len(pairs)


def correlation(pairs):
    x, y = mean([a for a, _ in pairs]), mean([b for _, b in pairs])
    products = sum((a - x) * (b - y) for a, b in pairs)
    squares = sum((a - x) ** 2 for a, _ in pairs) * sum((b - y) ** 2 for _, b in pairs)
    return products / math.sqrt(squares) if squares > 0 else 0.0


def fifths(sentences):
    ranked = sorted(sentences, key=lambda sentence: sentence.confidence)
    return [ranked[len(ranked) * i // 5 : len(ranked) * (i + 1) // 5] for i in range(5)]


def scores(program, sentences):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("translations", "references")]
        for path, lines in zip(paths, ([s.text for s in sentences], [s.reference for s in sentences])):
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in lines)
        command = [program, "evaluate", "--hypotheses", paths[0], "--references", paths[1], "--metrics", "bleu,chrf"]
        command += ["--tokenize", "none", "--quiet", "--force"]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", help="what translate --json wrote")
    parser.add_argument("references", help="one line for each sentence")
    parser.add_argument("--program", help="path of softalign, for BLEU (on tokens) and chrF")
    options = parser.parse_args()
    with open(options.json, encoding="utf-8") as file:
        lines = file.read().splitlines()
    with open(options.references, encoding="utf-8") as file:
        references = file.read().splitlines()
    if len(lines) != len(references):
        sys.exit(f"{options.json} has {len(lines)} sentences, {options.references} has {len(references)} lines")
    try:
        sentences = [Sentence(*pair) for pair in zip(lines, references)]
    except (KeyError, ValueError) as error:
        sys.exit(f"{options.json}: not what translate --json writes: {error}")
    sentences = [sentence for sentence in sentences if sentence.words]
    if not sentences:
        sys.exit(f"{options.json}: no sentence has words")

    words = [pair for sentence in sentences for pair in sentence.words]
    print("| confidence | words | mean confidence | right |\n| --- | --- | --- | --- |")
    for i, part in enumerate(intervals(words)):
        if part:
            print(f"| {i / 10:.1f} to {(i + 1) / 10:.1f} | {len(part)} | {mean([c for c, _ in part]):.3f} | "
                  f"{mean([r for _, r in part]):.3f} |")  # fmt: skip
    print(f"| all | {len(words)} | {mean([c for c, _ in words]):.3f} | {mean([r for _, r in words]):.3f} |")
    print(f"\nexpected calibration error of words: {calibration_error(words):.3f}\n")

    print("| sentences | mean confidence | right words |" + (" BLEU | chrF |" if options.program else ""))
    print("| --- | --- | --- |" + (" --- | --- |" if options.program else ""))
    for part in (part for part in fifths(sentences) if part):
        row = f"| {len(part)} | {mean([s.confidence for s in part]):.3f} | {mean([s.share_right() for s in part]):.3f} |"
        print(row + "".join(f" {score} |" for score in (scores(options.program, part) if options.program else [])))
    pairs = [(sentence.confidence, sentence.share_right()) for sentence in sentences]
    print(f"\ncorrelation of sentences: {correlation(pairs):.3f}")


if __name__ == "__main__":
    main()

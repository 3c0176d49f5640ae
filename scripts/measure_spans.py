#!/usr/bin/env python3
"""Measures what a model does with spans that should survive translation, such as URLs.

    scripts/measure_spans.py --program PATH --model DIR --source FILE --references FILE [--lines N] [option...]

Takes N lines (default: 500) from throughout the text and puts a span of one of eight kinds into each, at a random place
between words, always the same for the same text. Translates the lines without spans, and those with spans as text and
with --keep-spans; further options go to `softalign translate`. Prints a table in Markdown: the spans that occur in the
translation exactly once, and BLEU of the translations without them.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile


def url(draw):
    return f"https://www.example.org/{draw.choice(['a', 'news', 'b2'])}?id={draw.randrange(10000)}&lang=en"


def number(draw):
    return f"{draw.randrange(1000, 100000)}.{draw.randrange(10, 100)}"


KINDS = (
    url,
    lambda draw: f"{draw.choice(['mary', 'info', 'j.doe'])}{draw.randrange(100)}@mail.example.com",
    number,
    lambda draw: "%s",
    lambda draw: f"%{draw.randrange(1, 4)}$s",
    lambda draw: "{" + draw.choice(["name", "user_id", "count"]) + "}",
    lambda draw: "${" + draw.choice(["total", "path"]) + "}",
    lambda draw: draw.choice("😀🎉🚴🐕"),
)


def with_spans(lines):
    """Each line with a span between two of its words, and the spans."""
    draw = random.Random(1)
    texts, spans = [], []
    for i, line in enumerate(lines):
        words = line.split()
        span = KINDS[i % len(KINDS)](draw)
        words.insert(draw.randrange(1, len(words)) if len(words) > 1 else 1, span)
        texts.append(" ".join(words))
        spans.append(span)
    return texts, spans


def count_kept(translations, spans):
    return sum(text.count(span) == 1 for text, span in zip(translations, spans))


def without(translations, spans):
    return [" ".join(text.replace(span, " ").split()) for text, span in zip(translations, spans)]


def chosen(path, count):
    """So many lines of the text, at equal distances."""
    lines = pathlib.Path(path).read_text(encoding="utf-8").rstrip("\n").split("\n")
    if not 0 < count <= len(lines):
        raise ValueError(f"{path} has {len(lines)} lines, not {count}; say --lines")
    return [lines[i * len(lines) // count] for i in range(count)]


class Runs:
    """What the program makes of lines, in files of a folder."""

    def __init__(self, program, folder, options):
        self.program = program
        self.folder = pathlib.Path(folder)
        self.options = options

    def write(self, name, lines):
        path = self.folder / name
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return path

    def translate(self, model, lines, *options):
        output = self.folder / "output"
        subprocess.run([self.program, "translate", "--model", model, "--input", self.write("input", lines), "--output",
                        output, "--quiet", *options, *self.options], check=True)
        return output.read_text(encoding="utf-8").split("\n")[:-1]

    def bleu(self, translations, references):
        return subprocess.run([self.program, "evaluate", "--hypotheses", self.write("hypotheses", translations),
                               "--references", self.write("references", references), "--quiet"],
                              check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def table(runs, model, sources, references):
    texts, spans = with_spans(sources)
    share = "{:.1f} %"
    yield "| | spans kept | BLEU of the rest |"
    yield "| --- | --- | --- |"
    plain = runs.translate(model, sources, "--keep-spans=false")
    yield f"| lines without spans | | {runs.bleu(plain, references)} |"
    for name, option in (("with spans", "--keep-spans=false"), ("with spans, `--keep-spans`", "--keep-spans")):
        translations = runs.translate(model, texts, option)
        kept = share.format(100 * count_kept(translations, spans) / len(spans))
        yield f"| {name} | {kept} | {runs.bleu(without(translations, spans), references)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, metavar="PATH", help="softalign")
    parser.add_argument("--model", required=True, metavar="DIR")
    parser.add_argument("--source", required=True, metavar="FILE")
    parser.add_argument("--references", required=True, metavar="FILE")
    parser.add_argument("--lines", type=int, default=500, metavar="N")
    arguments, options = parser.parse_known_args()
    try:
        sources, references = (chosen(path, arguments.lines) for path in (arguments.source, arguments.references))
    except (OSError, ValueError) as error:
        sys.exit(f"error: {error}")
    with tempfile.TemporaryDirectory() as folder:
        for line in table(Runs(arguments.program, folder, options), arguments.model, sources, references):
            print(line, flush=True)


if __name__ == "__main__":
    main()

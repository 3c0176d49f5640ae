#!/usr/bin/env python3
"""Draws the alignments that `softalign translate --alignments` wrote, as text and as pictures.

    draw_alignments.py --source source.pieces --translation translation.pieces --alignments FILE --svg PREFIX

The three files have a line a sentence: pieces between blanks, and pairs i-j of a source and a target piece. A row is a
piece of the translation, a column one of the source, as in Figure 3 of Bahdanau et al. 2014. A piece of the translation
has one mark, the source piece it attends to most, or none where that is the end of the sentence. Pictures are
PREFIX1.svg, PREFIX2.svg and so on.
"""

import argparse
import os
import sys
from xml.sax.saxutils import escape

CELL, LABELS = 18, 130


class AlignmentError(Exception):
    """Something the person who called can mend."""


def parse_pairs(line, sources, targets):
    pairs = []
    for word in line.split():
        source, _, target = word.partition("-")
        if not (source.isdigit() and target.isdigit() and int(source) < sources and int(target) < targets):
            raise AlignmentError("'%s' is no pair of %d source and %d target pieces" % (word, sources, targets))
        pairs.append((int(source), int(target)))
    return pairs


def text_grid(source, target, pairs):
    marked = set(pairs)
    width = max(map(len, target), default=0)
    lines = ["%*s  %s" % (width, "", " ".join(source))]
    for row, piece in enumerate(target):
        cells = ("#" if (column, row) in marked else "." for column in range(len(source)))
        named = [source[column] for column, at in pairs if at == row]
        lines.append("%s  %s  %s" % (piece.rjust(width), "".join(cells), " ".join(named)))
    return "\n".join(lines)


def svg(source, target, pairs):
    width, height = LABELS + CELL * len(source) + 10, LABELS + CELL * len(target) + 10
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">'
             % (width, height),
             '<rect width="100%" height="100%" fill="white"/>',
             '<rect x="%d" y="%d" width="%d" height="%d" fill="black"/>'
             % (LABELS, LABELS, CELL * len(source), CELL * len(target))]  # fmt: skip
    for column, piece in enumerate(source):
        x = LABELS + CELL * column + 13
        parts.append('<text transform="translate(%d,%d) rotate(-90)">%s</text>' % (x, LABELS - 5, escape(piece)))
    for row, piece in enumerate(target):
        y = LABELS + CELL * row + 13
        parts.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (LABELS - 5, y, escape(piece)))
    for column, row in pairs:
        parts.append('<rect x="%d" y="%d" width="%d" height="%d" fill="white"/>'
                     % (LABELS + CELL * column, LABELS + CELL * row, CELL, CELL))  # fmt: skip
    return "\n".join(parts + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--source", "--translation", "--alignments"):
        parser.add_argument(option, required=True, metavar="FILE")
    parser.add_argument("--svg", metavar="PREFIX", help="write a picture of each sentence")
    arguments = parser.parse_args()
    columns = []
    for path in (arguments.source, arguments.translation, arguments.alignments):
        with open(path, encoding="utf-8") as text:
            columns.append(text.read().split("\n")[:-1])
    if len(set(map(len, columns))) != 1:
        raise AlignmentError("the three files have %d, %d and %d lines" % tuple(map(len, columns)))
    for number, (source, target, line) in enumerate(zip(*columns), 1):
        source, target = source.split(), target.split()
        pairs = parse_pairs(line, len(source), len(target))
        print("%d\n%s\n" % (number, text_grid(source, target, pairs)))
        if arguments.svg:
            path = "%s%d.svg" % (arguments.svg, number)
            with open(path + ".new", "w", encoding="utf-8") as picture:
                picture.write(svg(source, target, pairs))
            os.replace(path + ".new", path)


if __name__ == "__main__":
    try:
        main()
    except AlignmentError as error:
        sys.exit("draw_alignments.py: %s" % error)

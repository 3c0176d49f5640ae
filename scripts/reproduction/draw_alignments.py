#!/usr/bin/env python3
"""Draws the soft alignments that `softalign translate --alignments FILE --alignment-format soft` wrote, as text and as
pictures.

    draw_alignments.py --alignments FILE --svg PREFIX

The file has a JSON object a line: {"source": [...], "target": [...], "weights": [[...]]}. A row is a piece (or word) of
the translation, a column one of the source, the last of both the end of the sentence, as in Figure 3 of Bahdanau et al.
2014. The text shows weights as the shades of the legend and names what has the greatest weight of its row; the
pictures, PREFIX1.svg, PREFIX2.svg and so on, have a square for each weight, from black, 0, to white, 1.
"""

import argparse
import json
import os
import sys
from xml.sax.saxutils import escape

CELL, LABELS = 18, 130
SHADES = ((0.75, "#"), (0.5, "+"), (0.25, ":"), (0.05, "."))
LEGEND = "# from 0.75, + from 0.5, : from 0.25, . from 0.05"


class AlignmentError(Exception):
    """Something the person who called can mend."""


def parse_alignment(line):
    """The labels of columns and rows, and the weights, a list for each row."""
    try:
        record = json.loads(line)
        source, target, weights = record["source"], record["target"], record["weights"]
        fits = len(weights) == len(target) and all(len(row) == len(source) for row in weights)
        valid = fits and all(isinstance(weight, (int, float)) and 0 <= weight <= 1.0001
                             for row in weights for weight in row)  # fmt: skip
    except (ValueError, KeyError, TypeError):
        valid = False
    if not valid:
        raise AlignmentError("no soft alignment: '%s'" % line[:60])
    return source, target, weights


def shade(weight):
    return next((mark for least, mark in SHADES if weight >= least), " ")


def text_grid(source, target, weights):
    width = max(map(len, target))
    lines = ["%*s  %s" % (width, "", " ".join(source))]
    for piece, row in zip(target, weights):
        greatest = source[row.index(max(row))]
        lines.append("%s |%s| %s" % (piece.rjust(width), "".join(map(shade, row)), greatest))
    return "\n".join(lines)


def svg(source, target, weights):
    width, height = LABELS + CELL * len(source) + 10, LABELS + CELL * len(target) + 10
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" '
             'shape-rendering="crispEdges">' % (width, height),
             '<rect width="100%" height="100%" fill="white"/>']  # fmt: skip
    for column, piece in enumerate(source):
        x = LABELS + CELL * column + 13
        parts.append('<text transform="translate(%d,%d) rotate(-90)">%s</text>' % (x, LABELS - 5, escape(piece)))
    for row, piece in enumerate(target):
        y = LABELS + CELL * row + 13
        parts.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (LABELS - 5, y, escape(piece)))
    for row, line in enumerate(weights):
        for column, weight in enumerate(line):
            grey = round(255 * min(weight, 1))
            parts.append('<rect x="%d" y="%d" width="%d" height="%d" fill="#%02x%02x%02x"/>'
                         % (LABELS + CELL * column, LABELS + CELL * row, CELL, CELL, grey, grey, grey))  # fmt: skip
    right, bottom = CELL * len(source), CELL * len(target)
    parts.append('<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="black"/>'
                 % (LABELS, LABELS, right, bottom))  # fmt: skip
    return "\n".join(parts + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--alignments", required=True, metavar="FILE")
    parser.add_argument("--svg", metavar="PREFIX", help="write a picture of each sentence")
    arguments = parser.parse_args()
    with open(arguments.alignments, encoding="utf-8") as text:
        lines = text.read().split("\n")[:-1]
    for number, line in enumerate(lines, 1):
        try:
            source, target, weights = parse_alignment(line)
        except AlignmentError as error:
            raise AlignmentError("%s:%d: %s" % (arguments.alignments, number, error)) from None
        print("%d\n%s\n" % (number, text_grid(source, target, weights)))
        if arguments.svg:
            path = "%s%d.svg" % (arguments.svg, number)
            with open(path + ".new", "w", encoding="utf-8") as picture:
                picture.write(svg(source, target, weights))
            os.replace(path + ".new", path)
    print("Weights: %s." % LEGEND)


if __name__ == "__main__":
    try:
        main()
    except AlignmentError as error:
        sys.exit("draw_alignments.py: %s" % error)

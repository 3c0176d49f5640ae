#!/usr/bin/env python3
"""Shows the table of bleu_by_length.py: as text, with how fast each curve falls, and as a picture.

    plot_lengths.py bleu.tsv --svg bleu.svg

The slope of a curve is that of the straight line of least squares through its groups, each with the weight of its
sentences: BLEU gained (or lost, where it is negative) with 10 more words of source.
"""

import argparse
import os

from bleu_by_length import COLUMNS

COLOURS = ("#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e", "#e6ab02")
WIDTH, HEIGHT, MARGIN = 640, 400, 50


def read_table(path):
    """{model: [(label, sentences, mean words, BLEU)]}, in the order of the file."""
    with open(path, encoding="utf-8") as table:
        lines = [line.rstrip("\n").split("\t") for line in table]
    if tuple(lines[0]) != COLUMNS:
        raise SystemExit("plot_lengths.py: %s is not a table of bleu_by_length.py" % path)
    curves = {}
    for model, label, sentences, words, bleu in lines[1:]:
        curves.setdefault(model, []).append((label, int(sentences), float(words), float(bleu)))
    return curves


def points(curve):
    return [point for point in curve if point[0] != "all"]


def slope(curve):
    """BLEU for 10 words more; None where there are fewer than two groups."""
    groups = points(curve)
    if len(groups) < 2:
        return None
    weight = sum(group[1] for group in groups)
    mean_x = sum(n * x for _, n, x, _ in groups) / weight
    mean_y = sum(n * y for _, n, _, y in groups) / weight
    covariance = sum(n * (x - mean_x) * (y - mean_y) for _, n, x, y in groups)
    return 10 * covariance / sum(n * (x - mean_x) ** 2 for _, n, x, _ in groups)


def text_table(curves):
    width = max(12, max(map(len, curves)) + 2)
    first = next(iter(curves.values()))
    lines = ["%-8s%10s%s" % ("words", "sentences", "".join(name.rjust(width) for name in curves))]
    for row, (label, sentences, _, _) in enumerate(first):
        scores = "".join(("%.1f" % curve[row][3]).rjust(width) for curve in curves.values())
        lines.append("%-8s%10d%s" % (label, sentences, scores))
    falls = [slope(curve) for curve in curves.values()]
    shown = "".join(("-" if fall is None else "%+.2f" % fall).rjust(width) for fall in falls)
    lines.append("%-18s%s" % ("BLEU by 10 words", shown))
    return "\n".join(lines)


def svg(curves):
    groups = [group for curve in curves.values() for group in points(curve)]
    most_words = max(10, max(group[2] for group in groups))
    most_bleu = 5 * (int(max(group[3] for group in groups)) // 5 + 1)

    def x(words):
        return MARGIN + (WIDTH - 2 * MARGIN) * words / most_words

    def y(bleu):
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * bleu / most_bleu

    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">'
             % (WIDTH, HEIGHT),
             '<rect width="100%" height="100%" fill="white"/>']  # fmt: skip
    for bleu in range(0, most_bleu + 1, 5):
        parts.append('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#ddd"/>'
                     % (x(0), y(bleu), x(most_words), y(bleu)))  # fmt: skip
        parts.append('<text x="%.1f" y="%.1f" text-anchor="end">%d</text>' % (x(0) - 6, y(bleu) + 4, bleu))
    for words in range(0, int(most_words) + 1, 10):
        parts.append('<text x="%.1f" y="%.1f" text-anchor="middle">%d</text>' % (x(words), y(0) + 18, words))
    parts.append('<text x="%d" y="%d" text-anchor="middle">words of the source sentence</text>'
                 % (WIDTH / 2, HEIGHT - 10))  # fmt: skip
    parts.append('<text x="%d" y="%d">BLEU</text>' % (MARGIN / 2, MARGIN / 2))
    for number, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        line = " ".join("%.1f,%.1f" % (x(words), y(bleu)) for _, _, words, bleu in points(curve))
        parts.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>' % (line, colour))
        for label, sentences, words, bleu in points(curve):
            title = "%s: %s words, %d sentences, BLEU %.1f" % (name, label, sentences, bleu)
            parts.append('<circle cx="%.1f" cy="%.1f" r="3" fill="%s"><title>%s</title></circle>'
                         % (x(words), y(bleu), colour, title))  # fmt: skip
        parts.append('<text x="%d" y="%d" fill="%s" text-anchor="end">%s</text>'
                     % (WIDTH - MARGIN, MARGIN / 2 + 16 * number, colour, name))  # fmt: skip
    return "\n".join(parts + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", metavar="TSV")
    parser.add_argument("--svg", metavar="FILE", help="the picture to write")
    arguments = parser.parse_args()
    curves = read_table(arguments.table)
    print(text_table(curves))
    if arguments.svg:
        with open(arguments.svg + ".new", "w", encoding="utf-8") as picture:
            picture.write(svg(curves))
        os.replace(arguments.svg + ".new", arguments.svg)


if __name__ == "__main__":
    main()

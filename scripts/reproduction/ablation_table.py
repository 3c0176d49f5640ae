#!/usr/bin/env python3
"""The table of an ablation: BLEU of each variant, mean and spread over its seeds.

    ablation_table.py --runs runs/luong --seeds 1,2 --output runs/luong/table NAME...

reads what `softalign evaluate --format json` wrote to NAME.seed1.json, NAME.seed2.json and so on, and writes table.tsv
and table.md. The spread is the standard deviation of the sample; one seed has none. What was not run is left blank.
"""

import argparse
import json
import os
import statistics


def read_scores(folder, name, seeds):
    """The score of each seed, None where it was not run."""
    scores = []
    for seed in seeds:
        path = os.path.join(folder, "%s.seed%s.json" % (name, seed))
        if os.path.exists(path):
            with open(path, encoding="utf-8") as report:
                scores.append(json.load(report)["score"])
        else:
            scores.append(None)
    return scores


def summary(scores):
    """Mean and spread as text."""
    there = [score for score in scores if score is not None]
    mean = "%.2f" % statistics.mean(there) if there else ""
    spread = "%.2f" % statistics.stdev(there) if len(there) > 1 else ""
    return mean, spread


def tables(rows, seeds):
    """The table as TSV and as Markdown."""
    heads = ["mechanism", "mean", "spread"] + ["seed %s" % seed for seed in seeds]
    tsv = ["\t".join(heads)]
    markdown = ["| mechanism | BLEU | " + " | ".join(heads[3:]) + " |", "| --- | --- |" + " --- |" * len(seeds)]
    for name, scores in rows:
        mean, spread = summary(scores)
        cells = ["" if score is None else "%.2f" % score for score in scores]
        tsv.append("\t".join([name, mean, spread] + cells))
        both = mean + (" ± " + spread if spread else "") if mean else "not run"
        markdown.append("| %s | %s | %s |" % (name, both, " | ".join(cells)))
    return "\n".join(tsv) + "\n", "\n".join(markdown) + "\n"


def command_line(description):
    """The arguments of this and of technique_table.py."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", required=True, metavar="DIR")
    parser.add_argument("--seeds", required=True, help="between commas")
    parser.add_argument("--output", required=True, metavar="NAME", help="NAME.tsv and NAME.md are written")
    parser.add_argument("variants", nargs="+", metavar="NAME")
    return parser.parse_args()


def write_tables(output, texts):
    """Writes the TSV and the Markdown, and prints the latter."""
    for ending, text in zip((".tsv", ".md"), texts):
        with open(output + ending + ".new", "w", encoding="utf-8") as table:
            table.write(text)
        os.replace(output + ending + ".new", output + ending)
        if ending == ".md":
            print(text, end="")


def main():
    arguments = command_line(__doc__)
    seeds = arguments.seeds.split(",")
    rows = [(name, read_scores(arguments.runs, name, seeds)) for name in arguments.variants]
    write_tables(arguments.output, tables(rows, seeds))


if __name__ == "__main__":
    main()

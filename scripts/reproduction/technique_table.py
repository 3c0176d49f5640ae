#!/usr/bin/env python3
"""The table of scripts/ablation.sh: what each technique brings, mean and spread over its seeds.

    technique_table.py --runs runs/ablation --seeds 1,2 --output runs/ablation/table NAME...

reads what `softalign evaluate --format json` wrote to NAME.seed1.val.json, NAME.seed1.test_2016_flickr.json and so on,
and writes table.tsv and table.md. The spread is the standard deviation of the sample; one seed has none. The length is
that of the outputs divided by that of the references, the mean over the seeds. What was not run is left blank.
"""

import json
import os
import re
import statistics

from ablation_table import command_line, summary, write_tables

TEXTS = ("val", "test_2016_flickr")


def read_reports(folder, name, seeds, text):
    """(score, length ratio) of each seed that was scored on the text."""
    found = []
    for seed in seeds:
        path = os.path.join(folder, "%s.seed%s.%s.json" % (name, seed, text))
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
            found.append((report["score"], float(re.search(r"ratio = ([\d.]+)", report["verbose_score"]).group(1))))
    return found


def tables(folder, names, seeds):
    """The table as TSV and as Markdown."""
    tsv = ["\t".join(["technique", "seeds"] + ["%s %s" % (text, head) for text in TEXTS
                                               for head in ("mean", "spread", "length")])]  # fmt: skip
    markdown = ["| technique | seeds | validation | length | test 2016 | length |", "| --- | --- | --- | --- | --- | --- |"]
    for name in names:
        columns, cells, count = [], [], None
        for text in TEXTS:
            reports = read_reports(folder, name, seeds, text)
            mean, spread = summary([score for score, _ in reports])
            length = "%.3f" % statistics.mean(ratio for _, ratio in reports) if reports else ""
            columns += [mean, spread, length]
            cells += [mean + (" ± " + spread if spread else "") if mean else "not run", length]
            count = len(reports) if count is None else min(count, len(reports))
        tsv.append("\t".join([name, str(count)] + columns))
        markdown.append("| %s | %d | %s |" % (name, count, " | ".join(cells)))
    return "\n".join(tsv) + "\n", "\n".join(markdown) + "\n"


def main():
    arguments = command_line(__doc__)
    write_tables(arguments.output, tables(arguments.runs, arguments.variants, arguments.seeds.split(",")))


if __name__ == "__main__":
    main()

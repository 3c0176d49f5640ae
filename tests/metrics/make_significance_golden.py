#!/usr/bin/env python3
"""Writes significance_golden.json: significance tests of small systems, calculated with numpy.

usage: make_significance_golden.py > significance_golden.json

Needs numpy 2, or numpy 1.24 with NPY_PROMOTION_STATE=weak, where a float32 stays one beside a Python number.
The random numbers are those of numpy.random.default_rng, drawn as sacreBLEU draws them.
"""
import json
import math
import statistics

import make_golden as golden
import numpy as np

SEED, RESAMPLES, TRIALS = 12345, 1000, 2000
ORDERS = 6


def systems():
    """One system, and another that is worse in some sentences and better in fewer."""
    first, (references,) = golden.random_sentences(1, 60, range(1, 45), 60)
    second = list(first)
    for i, text in enumerate(first):
        if i % 4 == 1:
            second[i] = text.partition(" ")[2]
        elif i % 8 == 3:
            second[i] = references[i]
    return first, second, references


def bleu_row(hypothesis, references):
    row = golden.bleu([hypothesis], references)
    return [row["sys_len"], row["ref_len"], *row["counts"], *row["totals"]]


def ter_row(hypothesis, references):
    row = golden.ter([hypothesis], references)
    return [row["num_edits"], row["ref_length"]]


def chrf_row(hypothesis, references):
    def orders(text):
        return [golden.counted("".join(text.split()), n + 1) for n in range(ORDERS)]

    candidates = [[(sum(h.values()) if r else 0, sum(r.values()), sum((h & r).values()))
                   for h, r in zip(orders(hypothesis), orders(reference))] for (reference,) in references]
    best = max(candidates, key=lambda counts: golden.f_score(counts, 2, False))
    return [number for counts in best for number in counts]


def bleu_score(sums):
    matches, totals, length, wanted = sums[2:6], sums[6:], int(sums[0]), int(sums[1])
    if not any(matches):
        return 0.0
    penalty = 1.0 if length >= wanted else math.exp(1 - wanted / length)
    logs, divisor = 0.0, 1.0
    for match, total in zip(matches, totals):
        if match == 0:
            divisor *= 2
        logs += math.log(100.0 * match / total if match else 100.0 / (divisor * total))
    return penalty * math.exp(logs / 4)


def ter_score(sums):
    return 100 * (sums[0] / sums[1])


def chrf_score(sums):
    precision = recall = 0.0
    for n in range(ORDERS):
        hypothesis, reference, match = sums[3 * n:3 * n + 3]
        precision, recall = precision + match / hypothesis, recall + match / reference
    precision, recall = precision / ORDERS, recall / ORDERS
    score = (1 + 4) * precision * recall
    return 100 * (score / (4 * precision + recall))


METRICS = {"bleu": (bleu_row, bleu_score), "chrf": (chrf_row, chrf_score), "ter": (ter_row, ter_score)}


def resampled(score, rows, drawn):
    return [score(sample.sum(0)) for sample in np.array(rows, dtype="float32")[drawn]]


def width(scores):
    scores = sorted(scores)
    cut = len(scores) // 40
    return 0.5 * (scores[len(scores) - 1 - cut] - scores[cut])


def interval(scores):
    return [float(np.sort(np.array(scores)).mean()), float(width(scores))]


def p_value(gaps, difference):
    return (int((gaps > difference).sum()) + 1) / (len(gaps) + 1)


def tested(metric, first, second, streams):
    row, score = METRICS[metric]
    rows = [[row(text, [[stream[i]] for stream in streams]) for i, text in enumerate(system)]
            for system in (first, second)]
    scores = [score([golden.in_order(column) for column in zip(*system)]) for system in rows]
    difference = abs(scores[0] - scores[1])

    count = len(first)
    drawn = np.random.default_rng(SEED).choice(count, size=(RESAMPLES, count), replace=True)
    samples = [resampled(score, system, drawn) for system in rows]
    gaps = np.abs(np.array(samples[1]) - np.array(samples[0]))

    draws = np.random.default_rng(SEED)
    swap = draws.integers(2, size=(TRIALS, count), dtype=bool)
    later = draws.choice(count, size=(RESAMPLES, count), replace=True)
    left, right = np.array(rows[0]), np.array(rows[1])
    mixed = [[score(sums) for sums in swap @ a + ~swap @ b] for a, b in ((left, right), (right, left))]
    return {"scores": [float(s) for s in scores],
            "confidence": [float(statistics.mean(samples[0])), float(width(samples[0]))],
            "bootstrap": {"p": p_value(gaps - gaps.mean(), difference), "intervals": [interval(s) for s in samples]},
            "randomization": {"p": p_value(np.abs(np.array(mixed[0]) - np.array(mixed[1])), difference),
                              "intervals": [interval(samples[0]), interval(resampled(score, rows[1], later))]}}


def main():
    assert isinstance(np.float32(1) * 1.0, np.float32), __doc__
    first, second, references = systems()
    turned = [references[k:] + references[:k] for k in range(3)]
    cases = [{"metric": metric, "hypotheses": [first, second], "references": streams,
              **tested(metric, first, second, streams)}
             for metric in METRICS for streams in (turned[:1], turned)]
    print("[" + ",\n".join(json.dumps(case) for case in cases) + "]")


if __name__ == "__main__":
    main()

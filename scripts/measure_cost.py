#!/usr/bin/env python3
"""Measures how the cost of training grows with the batch, sentence length, model sizes, vocabulary and corpus.

    scripts/measure_cost.py [--program PATH] [--config FILE] [--workers N] [--updates N] [--only NAME] [--set KEY=VALUE]

Changes one setting of the configuration at a time, runs `softalign benchmark` and prints a table in Markdown. Use a quiet
machine; the points of a table are measured one after another in one run, and its first line is the unchanged
configuration. Long sentences are made by joining lines of the corpus, and large corpora by repeating it, in a temporary
folder.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Measurement:
    def __init__(self, options):
        self.options = options

    def run(self, settings):
        """The figures of one benchmark: tokens/s, seconds an update, share of the peak, memory in MiB, FLOP a token."""
        command = [self.options.program, "benchmark", self.options.config, "--only", "training", "--json"]
        command += ["--updates", str(self.options.updates), "--warmup", "3", "--rounds", "1"]
        command += ["--workers", str(self.options.workers)]
        for setting in self.options.set + settings:
            command += ["--set", setting]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        report = json.loads(done.stdout)["training"]
        measured = report["measurements"][0]
        return (
            report["target_tokens"] / report["updates"],
            measured["tokens_per_second"]["median"],
            measured["seconds_per_update"]["median"],
            measured["utilisation_without_padding"],
            report["flop"]["per_target_token_without_padding"] / 1e6,
            report["peak_memory_bytes"] / 2**20,
        )


def corpora(config):
    """The training files that the configuration names."""
    files = {}
    for line in pathlib.Path(config).read_text(encoding="utf-8").splitlines():
        key, _, value = line.strip().partition(":")
        if key in ("train_source", "train_target"):
            files[key] = pathlib.Path(config).parent / value.split(" #")[0].strip().strip("[]'\"")
    if len(files) != 2:
        sys.exit(f"{config}: give it data.train_source and data.train_target, one file each")
    return files


def joined(lines, count):
    return [" ".join(lines[i : i + count]) for i in range(0, len(lines) - count + 1, count)]


def corpus_settings(files, folder, name, change):
    settings = []
    for key, path in files.items():
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        changed = folder / f"{name}.{key}"
        changed.write_text("".join(line + "\n" for line in change(lines)), encoding="utf-8")
        settings.append(f"data.{key}={changed}")
    return settings


def experiments(options, folder):
    """(name, [(value, settings)])"""
    files = corpora(options.config)
    sizes = ["model.encoder.hidden_size", "model.decoder.hidden_size", "model.attention.size", "model.decoder.readout_size"]
    limits = ["data.max_source_length=1000", "data.max_target_length=1000"]
    yield "as it is", [("", [])]
    yield "sentences a batch", [(n, [f"training.batch_size={n}"]) for n in (16, 32, 64, 128, 256, 512)]
    yield "lines a sentence", [
        (n, limits + [f"training.batch_size={128 // n}"] + corpus_settings(files, folder, f"joined{n}", lambda l: joined(l, n)))
        for n in (1, 2, 4, 8)
    ]
    yield "units of each layer", [(n, [f"{key}={n}" for key in sizes]) for n in (128, 256, 512, 1024)]
    yield "pieces of the vocabulary", [(n, [f"vocabulary.size={n}"]) for n in (1000, 2000, 4000, 8000, 16000)]
    yield "corpus, times", [
        (n, corpus_settings(files, folder, f"times{n}", lambda lines: lines * n)) for n in (1, 4, 16)
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/softalign"))
    parser.add_argument("--config", default=str(ROOT / "configs/multi30k_reference.yaml"))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--updates", type=int, default=10)
    parser.add_argument("--only", default="", help="only the experiments whose name contains this")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args()
    measurement = Measurement(options)
    print("| | | target tokens an update | tokens/s | s an update | of the peak | MFLOP a token | memory, MiB |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, points in experiments(options, pathlib.Path(folder)):
            if options.only not in name:
                continue
            for value, settings in points:
                tokens, rate, seconds, share, flop, memory = measurement.run(settings)
                print(
                    f"| {name} | {value} | {tokens:.0f} | {rate:.0f} | {seconds:.3f} | {100 * share:.0f} % | "
                    f"{flop:.1f} | {memory:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()

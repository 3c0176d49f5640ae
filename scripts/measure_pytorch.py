#!/usr/bin/env python3
"""Trains the same models with softalign and with a loop in PyTorch, in turn, and prints target tokens per second of both.

    scripts/measure_pytorch.py [--program PATH] [--config FILE] [--python PATH] [--threads N] [--updates N] [--rounds N]
                               [--pairs N] [--only NAME] [--device cpu|cuda] [--set KEY=VALUE] [--loop KEY=VALUE]

Needs a Python with PyTorch (Debian: apt-get install python3-torch; its program is /usr/bin/python3). The models have the
sizes of configs/multi30k_reference.yaml, the GRU or the LSTM, and each kind of attention; scripts/pytorch/loop.py is the
loop. Both read the same sentences with the same vocabulary in batches of the same size. Use a quiet machine.

With --device cuda both train on the GPU, softalign by `train`. Give other model sizes twice: with --set for softalign, and with
--loop for the loop, under the names of Structure in scripts/pytorch/loop.py.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

from measure_cost import ROOT, corpora

BEFORE = ["additive", "scaled_dot", "multi_head", "multi_query", "grouped_query"]
AFTER = ["general", "dot", "concat", "location", "local_m", "local_p"]
WINDOW = 20  # batches that are sorted by length together
WARMUP = 3


def structures():
    """(name, the structure for the loop, the settings for softalign)"""
    for cell in ("gru", "lstm"):
        for attention in BEFORE + AFTER:
            for feeding in (False,) if attention in BEFORE else (True, False):
                if attention != "general" and attention in AFTER and not feeding:
                    continue
                before, both = attention in BEFORE, attention != "dot"
                name = f"{cell.upper()}, {attention}{' before' if before else ' after'}{', input feeding' if feeding else ''}"
                structure = {
                    "cell": cell,
                    "attention": attention,
                    "before": before,
                    "input_feeding": feeding,
                    "bidirectional": both,
                }
                yield name, structure, [
                    f"model.encoder.cell={cell}",
                    f"model.decoder.cell={cell}",
                    f"model.encoder.bidirectional={str(both).lower()}",
                    f"model.attention.type={attention}",
                    f"model.decoder.attend={'before' if before else 'after'}",
                    f"model.decoder.input_feeding={str(feeding or before).lower()}",
                ]


def run(command, environment=None):
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, env=environment
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def batches(options, vocabulary, texts):
    """The sentences as ids, with eos, shuffled and sorted in windows as softalign does."""
    run([options.program, "vocab", "train", "--size", options.pieces, "--type", options.vocabulary, "--output", vocabulary, "--input", *texts])
    eos = 3
    sides = [
        [
            [int(piece) for piece in line.split()] + [eos]
            for line in run([options.program, "vocab", "encode", "--ids", "--model", vocabulary, "--input", text]).splitlines()
        ]
        for text in texts
    ]
    pairs = list(zip(*sides))
    random.Random(1).shuffle(pairs)
    for begin in range(0, len(pairs), WINDOW * options.batch):
        pairs[begin : begin + WINDOW * options.batch] = sorted(
            pairs[begin : begin + WINDOW * options.batch], key=lambda pair: (len(pair[1]), len(pair[0]))
        )
    groups = [pairs[begin : begin + options.batch] for begin in range(0, len(pairs) - options.batch + 1, options.batch)]
    random.Random(2).shuffle(groups)
    return [groups[i % len(groups)] for i in range(WARMUP + options.updates)]


def rate_of_run(run_directory):
    """Target tokens per second between the first progress line of a run and the last one."""
    lines = [json.loads(line) for line in (run_directory / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line["type"] == "train"][1:]
    return sum(line["tokens"] for line in lines) / sum(line["tokens"] / line["tokens_per_second"] for line in lines)


def environment():
    """With kernels of OpenBLAS for AVX-512, which it may not choose by itself, as softalign does."""
    result = {key: value for key, value in os.environ.items() if not key.startswith("OPENBLAS_")}
    flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    if "avx512f" in flags:
        result["OPENBLAS_CORETYPE"] = "Cooperlake" if "avx512_bf16" in flags else "SkylakeX"
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/softalign"))
    parser.add_argument("--config", default=str(ROOT / "configs/multi30k_reference.yaml"))
    parser.add_argument("--python", default=sys.executable, help="a Python that has PyTorch")
    parser.add_argument("--threads", type=int, default=2, help="workers of softalign, threads of PyTorch")
    parser.add_argument("--updates", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=6000, help="pairs of sentences read, from the configuration's text")
    parser.add_argument("--only", default="", help="only the structures whose name contains this")
    parser.add_argument("--pieces", type=int, default=8000, help="size of the vocabulary")
    parser.add_argument("--vocabulary", default="unigram", help="its type: unigram, bpe or word")
    parser.add_argument("--batch", type=int, default=128, help="sentences per update")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--loop", action="append", default=[], metavar="KEY=VALUE", help="for the loop alone, in JSON")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="for softalign alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        vocabulary = folder / "vocabulary.spm"
        settings, texts = [f"vocabulary.source_model={vocabulary}", f"training.batch_size={options.batch}"] + options.set, []
        for key, path in corpora(options.config).items():
            if not path.exists():
                sys.exit(f"{path}: there is no such file; for Multi30k, run scripts/prepare_multi30k.sh first")
            lines = path.read_text(encoding="utf-8").split("\n")[: options.pairs]
            texts.append(folder / key)
            texts[-1].write_text("".join(line + "\n" for line in lines), encoding="utf-8")
            settings.append(f"data.{key}={texts[-1]}")
        (folder / "batches.json").write_text(json.dumps(batches(options, vocabulary, texts)), encoding="utf-8")

        def on_gpu(of):
            output = folder / "run"
            command = [options.program, "train", options.config, "--device", "cuda"]
            own = [f"training.max_updates={WARMUP + options.updates}", f"runtime.log_every={WARMUP}", "training.max_minutes=0"]
            own += [f"checkpoints.directory={output}", "validation.translate=false", "validation.metric=cross_entropy", "report.html=false"]
            own += ["validation.every=1000000", "validation.unit=updates"]
            for setting in settings + of + own:
                command += ["--set", setting]
            run(command)
            rate = rate_of_run(output)
            shutil.rmtree(output)
            return rate, 0

        def softalign(of):
            if options.device == "cuda":
                return on_gpu(of)
            command = [options.program, "benchmark", options.config, "--only", "training", "--json", "--rounds", 1]
            command += ["--updates", options.updates, "--warmup", WARMUP, "--workers", options.threads]
            for setting in settings + of:
                command += ["--set", setting]
            report = json.loads(run(command, environment()))["training"]
            return report["measurements"][0]["tokens_per_second"]["median"], report["parameters"]

        loop = {"pieces": options.pieces, "threads": options.threads, "warmup": WARMUP, "device": options.device}
        loop.update((key, json.loads(value)) for key, _, value in (setting.partition("=") for setting in options.loop))

        def pytorch(of):
            file = folder / "structure.json"
            file.write_text(json.dumps({**of, **loop}), encoding="utf-8")
            report = json.loads(run([options.python, ROOT / "scripts/pytorch/loop.py", folder / "batches.json", file], environment()))
            return report["tokens_per_second"], report["parameters"]

        print("| structure | parameters | softalign, tokens/s | PyTorch, tokens/s | times |")
        print("| --- | --- | --- | --- | --- |", flush=True)
        for name, structure, of in structures():
            if options.only.lower() not in name.lower():
                continue
            ours, theirs = [], []
            for _ in range(options.rounds):
                ours.append(softalign(of))
                theirs.append(pytorch(structure))
            ratios = [a[0] / b[0] for a, b in zip(ours, theirs)]
            rates = [" to ".join(f"{rate:.0f}" for rate in sorted({round(x[0]) for x in side})) for side in (ours, theirs)]
            parameters = ", ".join(f"{side[0][1] / 1e6:.1f} M" for side in (ours, theirs) if side[0][1])
            spread = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
            print(f"| {name} | {parameters} | {rates[0]} | {rates[1]} | {spread} |", flush=True)


if __name__ == "__main__":
    main()

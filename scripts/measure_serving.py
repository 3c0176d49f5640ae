#!/usr/bin/env python3
"""Compares the server with the program itself: sentences per second over many connections with those of `translate`, and the
time of one sentence on a connection with its time without a server. Each line of the text is a request. Needs wrk (Debian:
apt-get install wrk), which itself uses part of the processor.

  scripts/measure_serving.py --model DIR --text FILE [--connections N] [--seconds N] [--rounds N] [--workers N] [--softalign FILE]
"""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts" / "serve"))
from server import Server  # noqa: E402


def translated(arguments, *options):
    """Sentences a second, loading left out."""
    command = [arguments.softalign, "translate", "--model", arguments.model, "--input", arguments.text, *options]
    log = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True).stderr
    return float(re.search(r"\(([0-9.]+) sentences/s", log).group(1))


def served(arguments, server, connections):
    """Requests a second, and milliseconds that a request took: the median and the 99th percentile."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{arguments.seconds}s", "--timeout", "60s", "-s",
               str(ROOT / "scripts" / "serve" / "sentences.lua"), f"http://127.0.0.1:{server.port}"]
    environment = dict(os.environ, SENTENCES=arguments.text)
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment).stdout
    rate, median, high, errors = re.search(r"RESULT (\S+) (\S+) (\S+) (\d+)", output).groups()
    if errors != "0":
        server.fail(f"{errors} requests failed:\n{output}")
    return float(rate), float(median), float(high)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--text", required=True)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", default="0")
    parser.add_argument("--softalign", default=str(ROOT / "build" / "release" / "bin" / "softalign"))
    arguments = parser.parse_args()
    if not shutil.which("wrk"):
        print("skipped: there is no wrk (Debian: apt-get install wrk)")
        sys.exit(77)
    throughput, delay = [], []
    with tempfile.TemporaryDirectory() as folder:
        server = Server(arguments.softalign, arguments.model, folder, "--workers", arguments.workers)
        try:
            served(arguments, server, arguments.connections)  # so that both have what they need
            for _ in range(arguments.rounds):
                alone = translated(arguments, "--workers", arguments.workers)
                rate, median, high = served(arguments, server, arguments.connections)
                throughput.append(rate / alone)
                print(f"{arguments.connections} connections: {rate:.1f} sentences/s, {median:.1f} ms in the median, "
                      f"{high:.1f} in the 99th percentile; translate: {alone:.1f} sentences/s; ratio {rate / alone:.3f}")
                one = 1000 / translated(arguments, "--workers", "1", "--batch-size", "1")
                mean = 1000 / served(arguments, server, 1)[0]
                delay.append(mean / one)
                print(f"one connection: {mean:.2f} ms a sentence; translate one by one: {one:.2f} ms; "
                      f"ratio {mean / one:.3f}", flush=True)
        finally:
            server.kill()
    print(f"medians: throughput {statistics.median(throughput):.3f}, time of one sentence {statistics.median(delay):.3f}")


if __name__ == "__main__":
    main()

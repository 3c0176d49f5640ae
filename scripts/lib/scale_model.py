#!/usr/bin/env python3
"""What an update of several processes costs: reads measured runs, and predicts others (docs/scale.md, "The cost model").

    scale_model.py read METRICS LOG SHAPE CABLE BATCHES    a line of JSON for a run
    scale_model.py table RUNS                              the table of such lines, measured and predicted
    scale_model.py predict RUNS                            the same model for machines that are not there
"""
import json
import math
import re
import statistics
import sys

# Exchanges of an update between two halves of the processes: the sums of losses, the halves of the gradient, its norm,
# the halves of the weights, whether all is finite, and the clock. Each waits for the other side twice: until it is known
# to be ready, and for the data.
EXCHANGES = 6
WAITS = 2 * EXCHANGES
# A sender has so much under way at most (net.ipv4.tcp_wmem).
WINDOW = 4 * 2**20  # bytes
# While an update is computed, a connection idles, and then begins with so much and doubles it with each round trip
# (net.ipv4.tcp_slow_start_after_idle).
FIRST_WINDOW = 10 * 1448  # bytes


def read(metrics, log, shape, cable, batches):
    with open(metrics, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    windows = [record for record in records if record["type"] == "train"]
    windows = windows[math.ceil(len(windows) / 10):]
    with open(log, encoding="utf-8") as file:
        text = file.read()
    sent = re.search(r"sent ([0-9.]+) MiB", text)
    processes, workers = map(int, shape.split("x"))
    updates = max(record["update"] for record in records if "update" in record)
    return {
        "processes": processes,
        "workers": workers,
        "cable": cable,
        "batches": int(batches),
        "seconds": statistics.mean(record["tokens"] / record["tokens_per_second"] for record in windows),
        "tokens": statistics.mean(record["tokens"] for record in windows),
        "sent": float(sent.group(1)) * 2**20 / updates if sent else 0.0,
        "parameters": int(re.search(r"model: (\d+) parameters", text).group(1)),
    }


def of_network(rate, delay, sent, processes, tcp=True):
    """Seconds for so many bytes and for waiting. rate: bytes a second; delay: seconds in one direction."""
    round_trip = 2 * delay
    starting = 0.0
    if tcp and delay > 0:
        rate = min(rate, WINDOW / round_trip)
        starting = round_trip * max(0.0, math.log2(rate * round_trip / FIRST_WINDOW) - 1)
    return sent / rate, WAITS * math.log2(processes) * delay + starting


class Model:
    """Seconds of an update: its batches on all cores, bytes that are sent and received, and waiting."""

    def __init__(self, cases):
        cores = max(key[0] * key[1] for key in cases)

        # As many processes, on all cores, over loopback.
        def seconds(processes, batches):
            return statistics.median(run["seconds"] for run in cases[processes, cores // processes, "-", batches])

        alone = sorted({key[3] for key in cases if key[:3] == (1, cores, "-")})
        first, last = alone[0], alone[-1]
        # With several numbers of batches: what a batch takes, and what an update takes besides.
        self.batch = ((seconds(1, last) - seconds(1, first)) / (last - first)) if last > first else None
        self.rest = seconds(1, first) - first * self.batch if self.batch else seconds(1, first)
        self.batch = self.batch or 0.0
        parameters = next(iter(cases.values()))[0]["parameters"]
        self.vector = 4 * parameters  # bytes
        # Over loopback, what is not computing is copying.
        extra = [seconds(2, batches) - self.compute(batches) for batches in alone if (2, cores // 2, "-", batches) in cases]
        self.copying = max(0.0, statistics.mean(extra)) / self.sent(2) if extra else 0.0  # seconds a byte

    def compute(self, batches):
        return self.rest + batches * self.batch

    def sent(self, processes):
        return 2 * self.vector * (processes - 1) / processes

    def seconds(self, processes, cable, batches):
        if processes == 1:
            return self.compute(batches)
        seconds = self.compute(batches) + self.sent(processes) * self.copying
        if cable != "-":
            rate, delay = (float(part) for part in (cable + ":0").split(":")[:2])
            seconds += sum(of_network(rate * 1e6 / 8, delay / 1e3, self.sent(processes), processes))
        return seconds


def load(path):
    cases = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            run = json.loads(line)
            cases.setdefault((run["processes"], run["workers"], run["cable"], run["batches"]), []).append(run)
    return cases


def table(cases):
    model = Model(cases)
    print("processes x workers\tcable\tbatches an update\ttokens/s\tof the first\ts an update\tpredicted\tratio"
          "\tMiB sent\tbound")
    first = {}
    for (processes, workers, cable, batches), runs in sorted(cases.items(), key=lambda case: (case[0][3], case[0][0], case[0][2] != "-", case[0][2])):
        seconds = statistics.median(run["seconds"] for run in runs)
        speed = runs[0]["tokens"] / seconds
        first.setdefault(batches, speed)
        predicted = model.seconds(processes, cable, batches)
        print(f"{processes}x{workers}\t{cable}\t{batches}\t{speed:.0f}\t{speed / first[batches]:.3f}\t{seconds:.3f}"
              f"\t{predicted:.3f}\t{predicted / seconds:.2f}\t{runs[0]['sent'] / 2**20:.1f}\t{model.sent(processes) / 2**20:.1f}")
    print(f"a batch {model.batch:.3f} s, the rest of an update {model.rest:.3f} s, copying {1 / model.copying / 1e9:.2f} GB/s"
          if model.copying else "", file=sys.stderr)


# Machines that are not there: what one device takes for its batch and for the rest of an update, seconds; the weights,
# bytes; what copying a byte takes, seconds; networks, Mbit/s:ms. The batch grows with the devices.
def devices(model):
    cores = ("a core of this CPU, 64 sentences", model.batch, 2 * model.rest, model.vector, model.copying)
    # GNMT v2 (160 million parameters) on an A100: 83 214 source and target tokens a second in TF32, here with 128 pairs
    # of 52 tokens for each device (NVIDIA's DeepLearningExamples).
    gpu = ("an A100, 128 sentences", 128 * 52 / 83214, 0.0, 4 * 160e6, 0.0)
    return [(*cores, "10000:0.05", True), (*cores, "1000:0.05", True), (*gpu, "2400000:0.01", False),
            (*gpu, "100000:0.05", True)]


def predict(cases):
    model = Model(cases)
    print("device\tnetwork\tbatches an update\tdevices\tof the ideal speed\tbytes\twaiting")
    for name, batch, rest, model.vector, model.copying, network, tcp in devices(model):
        rate, delay = (float(part) for part in network.split(":"))
        for batches in (1, 8):
            for count in (8, 64, 512):
                moving, waiting = of_network(rate * 1e6 / 8, delay / 1e3, model.sent(count), count, tcp)
                moving += model.sent(count) * model.copying
                total = batches * batch + rest / count + moving + waiting
                print(f"{name}\t{network}\t{batches}\t{count}\t{(batches * batch + rest) / total:.0%}"
                      f"\t{moving / total:.0%}\t{waiting / total:.1%}")


def main():
    command, *arguments = sys.argv[1:]
    if command == "read":
        print(json.dumps(read(*arguments)))
    elif command == "table":
        table(load(arguments[0]))
    elif command == "predict":
        predict(load(arguments[0]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()

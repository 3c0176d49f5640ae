"""What scripts/soak_serve.sh runs: a server, clients that load it, reloads, and what must hold at the end."""
import argparse
import mmap
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import time

from server import Server
from soak_client import COUNTS, Counts, Sentences, run_clients

PROCESSES = 8
MIB = 1 << 20


class Crowd:
    """The processes of clients."""

    def __init__(self, server, known, arguments):
        self.memory = mmap.mmap(-1, 8 * len(COUNTS) * PROCESSES)
        self.ending = mmap.mmap(-1, 1)
        self.server, self.known, self.arguments = server, known, arguments
        self.failures = pathlib.Path(arguments.folder) / "failures"
        self.failures.touch()
        self.chance = random.Random(arguments.seed)
        self.killed = self.abandoned = 0
        self.processes = [self.start(slot) for slot in range(PROCESSES)]

    def start(self, slot):
        process = os.fork()
        if process:
            return process
        try:
            clients = (self.arguments.clients + slot) // PROCESSES
            run_clients(self.server.port, self.known, self.memory, slot, clients,
                        f"{self.arguments.seed} {slot} {self.killed}", self.failures, lambda: self.ending[0] != 0)
            os._exit(0)
        except BaseException as error:  # a fork must not go on as its parent
            print(f"a process of clients ends: {error!r}", file=sys.stderr)
            os._exit(1)

    def count(self, name):
        return sum(Counts(self.memory, slot).get(name) for slot in range(PROCESSES))

    def under_way(self, slot):
        counts = Counts(self.memory, slot)
        return counts.get("asked") - sum(counts.get(name) for name in ("right", "wrong", "lost"))

    def kill_one(self):
        slot = self.chance.randrange(PROCESSES)
        os.kill(self.processes[slot], signal.SIGKILL)
        os.waitpid(self.processes[slot], 0)
        abandoned = self.under_way(slot)
        Counts(self.memory, slot).add("asked", -abandoned)
        self.abandoned += abandoned
        self.killed += 1
        self.processes[slot] = self.start(slot)

    def end(self):
        """Returns whether all of them came to a good end."""
        self.ending[0] = 1
        ends = [os.waitpid(process, 0)[1] for process in self.processes]
        self.processes = []
        return not any(ends)

    def kill(self):
        """What end() has not ended."""
        self.ending[0] = 1
        for process in self.processes:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        self.processes = []


def translated(arguments, *options):
    command = [arguments.softalign, "translate", "--model", arguments.model, "--input", arguments.text, "--quiet", *options]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")[:-1]


def read_sentences(arguments):
    texts = pathlib.Path(arguments.text).read_text(encoding="utf-8").split("\n")
    lines = [texts, translated(arguments), translated(arguments, "--split", "sentences", "--keep-spans")]
    return Sentences(*zip(*[line for line in zip(*lines) if line[0].strip()]))


def check_memory(samples, minutes, problems):
    """Medians of quarters, since a reload has two models in memory for a moment. Short runs are only warming up."""
    quarter = max(len(samples) // 4, 1)
    second, last = (statistics.median(part) for part in (samples[quarter:2 * quarter] or samples, samples[-quarter:]))
    print(f"memory: {second / MIB:.0f} MiB in the second quarter of the time, {last / MIB:.0f} MiB in the last, at most "
          f"{max(samples) / MIB:.0f} MiB")
    if minutes >= 10 and last > 1.03 * second + 4 * MIB:
        problems.append("memory grew")


def left_over(server, before):
    """Whether it has more descriptors or threads. Before, it may have had a connection more, whose end takes a moment."""
    return server.descriptors() > before[0] or server.threads() > before[1]


def report(server, crowd, seconds, samples, before):
    problems = [] if crowd.end() else ["a process of clients failed"]
    counts = {name: crowd.count(name) for name in COUNTS}
    print(f"{seconds:.0f} s: {counts['right']} requests answered rightly ({counts['right'] / seconds:.0f} per second), "
          f"{counts['wrong']} wrongly, {counts['lost']} lost")
    print(f"{server.reloads()} reloads; {crowd.killed} processes of clients killed with {crowd.abandoned} requests under "
          f"way; {counts['half']} half requests, {counts['unread']} whose answer nobody read")
    if counts["wrong"] or counts["lost"] or counts["asked"] != counts["right"] or not counts["right"]:
        problems.append("requests were lost or answered wrongly")
    if server.reloads("failure"):
        problems.append("a reload failed")
    server.wait_for(lambda: server.metric("softalign_waiting_sentences") == 0, 120)
    end = time.monotonic() + 60
    while left_over(server, before) and time.monotonic() < end:
        time.sleep(0.1)
    after = (server.descriptors(), server.threads())
    print(f"descriptors: {before[0]} at the beginning, {after[0]} at the end; threads: {before[1]} and {after[1]}")
    if left_over(server, before):
        problems.append("something is left of the clients")
    check_memory(samples, seconds / 60, problems)
    server.process.send_signal(signal.SIGTERM)
    status = server.process.wait(120)
    if status != 0:
        problems.append(f"the server ends with status {status}")
    failures = crowd.failures.read_text(encoding="utf-8")
    if failures:
        problems.append("clients complained")
        print(failures[:10000], file=sys.stderr)
    return problems


def soak(arguments):
    known = read_sentences(arguments)
    server = Server(arguments.softalign, arguments.model, arguments.folder, "--idle-timeout", "15")
    crowd = None
    try:
        server.wait_for(lambda: server.metric("softalign_waiting_sentences") == 0, 60)
        before = (server.descriptors(), server.threads())
        began = time.monotonic()
        crowd = Crowd(server, known, arguments)
        samples = []
        next_reload, next_kill, next_line = began + arguments.reload_every, began + arguments.kill_every, began + 60
        while (now := time.monotonic()) < began + 60 * arguments.minutes:
            samples.append(server.resident())
            if now > next_reload:
                server.reload()
                next_reload += arguments.reload_every
            if now > next_kill:
                crowd.kill_one()
                next_kill = now + arguments.kill_every * crowd.chance.uniform(0.5, 1.5)
            if now > next_line:
                print(f"{now - began:.0f} s: {crowd.count('right')} right, {crowd.count('wrong')} wrong, "
                      f"{crowd.count('lost')} lost, {samples[-1] / MIB:.0f} MiB", file=sys.stderr, flush=True)
                next_line += 60
            time.sleep(0.2)
        problems = report(server, crowd, time.monotonic() - began, samples, before)
    except OSError as error:
        server.fail(f"the server does not answer ({error!r})")
    finally:
        if crowd:
            crowd.kill()
        server.kill()
    for problem in problems:
        print("FAILED: " + problem)
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("softalign", "model", "text", "folder"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--reload-every", type=float, default=60)
    parser.add_argument("--kill-every", type=float, default=5)
    parser.add_argument("--seed", type=int, default=1)
    sys.exit(soak(parser.parse_args()))


if __name__ == "__main__":
    main()

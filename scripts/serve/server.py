"""A server that a script runs, and what the system and the server itself say of it."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.request


class Server:
    """`softalign serve` on loopback, with its log in a folder."""

    def __init__(self, softalign, model, folder, *options):
        self.log = pathlib.Path(folder) / "server.log"
        command = [softalign, "serve", "--model", f"en-de={model}", "--listen", "127.0.0.1:0", *options]
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=log)
        try:
            listening = r"listening on http://127.0.0.1:(\d+)"
            self.port = int(self.wait_for(lambda: re.search(listening, self.log.read_text()), 60).group(1))
        except BaseException:
            self.kill()
            raise

    def kill(self):
        self.process.kill()
        self.process.wait()

    def fail(self, what):
        """Ends the script, and says whether the server has ended."""
        try:
            what = f"the server ended with status {self.process.wait(1)}"
        except subprocess.TimeoutExpired:
            pass
        sys.exit(f"{what}:\n{self.log.read_text()[-4000:]}")

    def wait_for(self, what, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            found = what()
            if found:
                return found
            time.sleep(0.05)
        if "built without libmicrohttpd" in self.log.read_text():
            print("skipped: this softalign was built without libmicrohttpd")
            sys.exit(77)
        self.fail("the server does not do what it should")

    def metric(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=60) as answer:
            text = answer.read().decode()
        return float(re.search("^" + re.escape(name) + " (.*)$", text, re.MULTILINE).group(1))

    def reloads(self, result="success"):
        return int(self.metric(f'softalign_reloads_total{{result="{result}"}}'))

    def reload(self):
        before = self.reloads() + self.reloads("failure")
        self.process.send_signal(signal.SIGHUP)
        self.wait_for(lambda: self.reloads() + self.reloads("failure") > before, 300)

    def resident(self):
        """Bytes in memory."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        if not found:  # a process that has ended has none
            self.fail("the system does not say how much memory the server has")
        return 1024 * int(found.group(1))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

#!/usr/bin/env python3
"""Measures what many connections cost the server: opens them, sends a request on each, and leaves some of them idle and the
others in the middle of a slow request. Then asks for translations on one more connection, and beyond the maximum.

  scripts/measure_connections.py --model DIR [--connections N] [--softalign FILE]

Needs a limit on open files a little above that number (ulimit -n).
"""
import argparse
import json
import pathlib
import resource
import socket
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts" / "serve"))
from server import Server  # noqa: E402

MIB = 1 << 20
BODY = json.dumps({"q": "two men talk .", "source": "en", "target": "de"}).encode()
HEAD = b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(BODY)


def answer(connection):
    """The status and the body of a response."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return 0, b""
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(65536)
    return int(head.split()[1]), body


def latencies(connection, count):
    times = []
    for _ in range(count):
        began = time.perf_counter()
        connection.sendall(HEAD + BODY)
        status, body = answer(connection)
        assert status == 200, body
        times.append(1000 * (time.perf_counter() - began))
    return f"{statistics.median(times):.1f} ms in the median, {max(times):.1f} at most"


def measure(server, count):
    def connect():
        return socket.create_connection(("127.0.0.1", server.port), timeout=60)

    with connect() as one:
        latencies(one, 50)  # so that the server has what it needs
        print(f"one connection: {server.resident() / MIB:.0f} MiB; {latencies(one, 50)}")
    before = server.resident()
    began = time.monotonic()
    opened = [connect() for _ in range(count - 1)]
    for connection in opened:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert all(answer(connection)[0] == 200 for connection in opened)
    idle = server.resident()
    print(f"{count} connections after {time.monotonic() - began:.1f} s: {idle / MIB:.0f} MiB, "
          f"{(idle - before) / 1024 / count:.1f} KiB for each")
    slow = opened[::2]
    for connection in slow:
        connection.sendall(HEAD + BODY[:10])
    with connect() as last:
        print(f"with half of them inside a request: {server.resident() / MIB:.0f} MiB; {latencies(last, 50)}")
        with connect() as beyond:
            beyond.sendall(HEAD + BODY)
            status, body = answer(beyond)
            print(f"one connection more: status {status}, {body.decode()}")
    began = time.monotonic()
    for connection in slow:
        connection.sendall(BODY[10:])
    statuses = [answer(connection)[0] for connection in slow]
    print(f"the slow requests are sent: {statuses.count(200)} translated, {statuses.count(503)} with status 503 (too many "
          f"wait) after {time.monotonic() - began:.1f} s; {server.resident() / MIB:.0f} MiB")
    for connection in opened:
        connection.close()
    time.sleep(2)
    print(f"all closed: {server.resident() / MIB:.0f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--connections", type=int, default=10000)
    parser.add_argument("--softalign", default=str(ROOT / "build" / "release" / "bin" / "softalign"))
    arguments = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        server = Server(arguments.softalign, arguments.model, folder, "--max-connections", str(arguments.connections),
                        "--idle-timeout", "300")
        try:
            measure(server, arguments.connections)
        finally:
            server.kill()


if __name__ == "__main__":
    main()

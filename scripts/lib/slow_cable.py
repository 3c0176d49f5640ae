#!/usr/bin/env python3
"""A network cable with a rate and a delay, for kernels that have no netem.

    slow_cable.py NAME NAME --rate MBIT --delay MS

Makes two network interfaces (TUN devices, which are for root or inside a network namespace of one's own) and carries
packets between them: each waits for those before it at the rate, in megabits a second, and then arrives after the delay,
in milliseconds. Prints "ready" once the interfaces exist; the caller moves one of them to another network namespace, gives
both their addresses, and ends this program to cut the cable. Nothing is lost and nothing overtakes. Exits with 77, and says
why, where no such interface can be made.
"""
import argparse
import collections
import fcntl
import os
import select
import struct
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TUN_NO_PI = 0x0001 | 0x1000
LARGEST = 65536  # bytes of a packet


def interface(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN_NO_PI))
    return device


class Direction:
    """Packets on their way from one interface to the other."""

    def __init__(self, source, sink, rate, delay):
        self.source, self.sink = source, sink
        self.seconds_a_byte, self.delay = 8 / (rate * 1e6), delay / 1e3
        self.free = 0.0  # when the cable can take the next packet
        self.under_way = collections.deque()  # (arrival, packet)

    def take(self):
        try:
            while True:
                packet = os.read(self.source, LARGEST)
                self.free = max(self.free, time.monotonic()) + len(packet) * self.seconds_a_byte
                self.under_way.append((self.free + self.delay, packet))
        except BlockingIOError:
            pass

    def deliver(self):
        """Hands over what has arrived; returns when the next packet will, or None."""
        while self.under_way and self.under_way[0][0] <= time.monotonic():
            try:
                os.write(self.sink, self.under_way.popleft()[1])
            except OSError:  # an interface that is down or has no address yet: what comes then is lost on real ones too
                pass
        return self.under_way[0][0] if self.under_way else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs=2)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--delay", type=float, required=True)
    options = parser.parse_args()
    try:
        here, there = (interface(name) for name in options.names)
    except OSError as error:
        print(f"slow_cable.py: no network interface can be made: {error}", file=sys.stderr)
        return 77
    print("ready", flush=True)
    directions = [Direction(*ends, options.rate, options.delay) for ends in ((here, there), (there, here))]
    while True:
        arrivals = [arrival for arrival in (direction.deliver() for direction in directions) if arrival is not None]
        patience = max(0.0, min(arrivals) - time.monotonic()) if arrivals else None
        readable, _, _ = select.select([here, there], [], [], patience)
        for direction in directions:
            if direction.source in readable:
                direction.take()


if __name__ == "__main__":
    sys.exit(main())

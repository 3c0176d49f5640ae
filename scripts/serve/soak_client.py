"""A process of clients of the server for soak.py: what they ask for, what they must get, and how they count it."""
import asyncio
import json
import os
import random
import struct
import urllib.parse

# A request is asked when its first byte is sent. `right` and `lost` are those whose answer was awaited.
COUNTS = ("asked", "right", "wrong", "lost", "half", "unread")
PATIENCE = 120  # seconds that an answer may take


class Counts:
    """The counts of one process in memory that it shares with the process that may kill it."""

    def __init__(self, memory, slot):
        self.memory = memory
        self.offset = 8 * len(COUNTS) * slot

    def get(self, name):
        return struct.unpack_from("q", self.memory, self.offset + 8 * COUNTS.index(name))[0]

    def add(self, name, count=1):
        struct.pack_into("q", self.memory, self.offset + 8 * COUNTS.index(name), self.get(name) + count)


class Sentences:
    """Texts and their translations: as a sentence (/v1/translate), and as a text (/translate)."""

    def __init__(self, texts, sentences, documents):
        self.texts, self.sentences, self.documents = texts, sentences, documents

    def some(self, chance, most):
        return [chance.randrange(len(self.texts)) for _ in range(chance.randint(1, most))]


def request(method, path, body="", kind="application/json"):
    data = body.encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
    if data:
        head += f"Content-Type: {kind}\r\nContent-Length: {len(data)}\r\n"
    return head.encode() + b"\r\n" + data


def libre(query):
    return json.dumps({"q": query, "source": "en", "target": "de"}, ensure_ascii=False)


def make_one(known, chance):
    """A request and what tells whether an answer (status, body) is right."""

    def gives(expected, at=lambda answer: answer["translatedText"]):
        return lambda status, body: status == 200 and at(json.loads(body)) == expected

    kind = chance.random()
    if kind < 0.45:
        i = known.some(chance, 1)[0]
        return request("POST", "/translate", libre(known.texts[i])), gives(known.documents[i])
    if kind < 0.6:
        several = known.some(chance, 6)
        return (request("POST", "/translate", libre([known.texts[i] for i in several])),
                gives([known.documents[i] for i in several]))
    if kind < 0.7:
        several = known.some(chance, 6)
        form = urllib.parse.urlencode({"q": "\n".join(known.texts[i] for i in several), "source": "auto", "target": "de"})
        return (request("POST", "/translate", form, "application/x-www-form-urlencoded"),
                gives("\n".join(known.documents[i] for i in several)))
    if kind < 0.9:
        several = known.some(chance, 4)
        asked = {"text": [known.texts[i] for i in several], "attention": chance.random() < 0.5,
                 "options": {"n_best": chance.randint(1, 3)}}
        return (request("POST", "/v1/translate", json.dumps(asked)),
                gives([known.sentences[i] for i in several],
                      lambda answer: [result["translations"][0]["text"] for result in answer["results"]]))
    if kind < 0.95:
        bad = chance.choice(["{", "[]", libre(5), '{"q": "a"}', '{"q": "a", "source": "en", "target": "xx"}'])
        return request("POST", "/translate", bad), lambda status, body: status == 400 and "error" in json.loads(body)
    path = chance.choice(["/health", "/languages", "/metrics", "/", "/openapi.json"])
    return request("GET", path), lambda status, body: status == 200 and len(body) > 0


async def read_answer(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    lengths = [line.split(":")[1] for line in head.split("\r\n") if line.lower().startswith("content-length:")]
    return int(head.split()[1]), (await reader.readexactly(int(lengths[0]))).decode()


class Client:
    """One of the connections of a process."""

    def __init__(self, port, known, counts, chance, tell):
        self.port, self.known, self.counts, self.chance, self.tell = port, known, counts, chance, tell

    async def expect(self, reader, asked, is_right):
        try:
            status, body = await asyncio.wait_for(read_answer(reader), PATIENCE)
        except (OSError, EOFError, asyncio.TimeoutError) as error:
            self.counts.add("lost")
            self.tell(f"lost ({error!r}): {asked!r}")
            raise ConnectionError from error
        right = is_right(status, body)
        self.counts.add("right" if right else "wrong")
        if not right:
            self.tell(f"wrong (status {status}): {asked!r}: {body}")

    async def send(self, writer, data):
        """At once, or slowly in pieces."""
        if self.chance.random() < 0.9:
            writer.write(data)
        else:
            cuts = sorted(self.chance.randrange(len(data)) for _ in range(3))
            for begin, end in zip([0, *cuts], [*cuts, len(data)]):
                writer.write(data[begin:end])
                await asyncio.sleep(self.chance.random() * 0.2)
        await writer.drain()

    async def visit(self, ended):
        """One connection with a few requests. Some clients leave without a good-bye."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 24)
        try:
            for _ in range(self.chance.randint(1, 40)):
                if ended():
                    return
                some = [make_one(self.known, self.chance) for _ in range(2 if self.chance.random() < 0.1 else 1)]
                data = b"".join(asked for asked, _ in some)
                manner = self.chance.random()
                if manner < 0.02:  # half a request
                    self.counts.add("half")
                    writer.write(data[: self.chance.randrange(len(data))])
                    await writer.drain()
                    writer.transport.abort()
                    return
                if manner < 0.04:  # gone before the answer
                    self.counts.add("unread")
                    writer.write(data)
                    await writer.drain()
                    await asyncio.sleep(self.chance.random() * 0.05)
                    writer.transport.abort()
                    return
                self.counts.add("asked", len(some))
                await self.send(writer, data)
                for asked, is_right in some:
                    await self.expect(reader, asked, is_right)
        finally:
            writer.close()

    async def run(self, ended):
        while not ended():
            try:
                await self.visit(ended)
            except OSError as error:
                self.tell(f"a connection ended: {error!r}")
                await asyncio.sleep(0.1)


def run_clients(port, known, memory, slot, clients, seed, failures, ended):
    """Runs so many clients until ended(). What goes wrong is appended to the file `failures`."""
    counts = Counts(memory, slot)
    descriptor = os.open(failures, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def tell(text):
        os.write(descriptor, (text[:2000] + "\n").encode())

    async def all_of_them():
        await asyncio.gather(*(Client(port, known, counts, random.Random(f"{seed} {i}"), tell).run(ended)
                               for i in range(clients)))

    asyncio.run(all_of_them())

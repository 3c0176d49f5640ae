#!/usr/bin/env python3
"""Writes a reference text and the outputs of made-up translation systems, for measurements.

    make_systems.py FOLDER SYSTEMS SENTENCES [REFERENCE]

FOLDER/reference has SENTENCES lines: of the file REFERENCE, or of made-up words where that is empty. FOLDER/system1 and so on
are the same sentences with words left out, repeated, replaced and moved; the same at each call.
"""
import pathlib
import random
import sys

VOCABULARY = 20000
LONGEST = 80


def made_up_text(sentences):
    """Words by Zipf's law, 25 a sentence on average, with punctuation."""
    draw = random.Random(1)
    letters = "enirsatdhulcgmobwfkzpvjyxq"
    words = ["".join(draw.choices(letters, weights=range(len(letters), 0, -1), k=draw.randint(2, 11)))
             for _ in range(VOCABULARY)]
    weights = [1 / (rank + 3) for rank in range(VOCABULARY)]
    for _ in range(sentences):
        length = max(1, min(LONGEST, round(draw.gammavariate(4, 25 / 4))))
        sentence = draw.choices(words, weights, k=length)
        if length > 8:
            sentence[draw.randrange(2, length - 2)] += ","
        yield " ".join(sentence).capitalize() + "."


def spoilt(draw, sentence, rate):
    words = sentence.split()
    changed = []
    for word in words:
        chance = draw.random() / rate
        if chance < 0.25:
            continue
        changed.append(draw.choice(words) if chance < 0.7 else word)
        if 0.7 <= chance < 0.8:
            changed.append(word)
    if len(changed) > 4 and draw.random() < 2 * rate:
        cut = draw.randrange(1, len(changed))
        changed = changed[cut:] + changed[:cut]
    return " ".join(changed)


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    folder, systems, sentences = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    if len(sys.argv) == 5 and sys.argv[4]:
        text = pathlib.Path(sys.argv[4]).read_text(encoding="utf-8").split("\n")[:-1][:sentences]
    else:
        text = list(made_up_text(sentences))
    (folder / "reference").write_text("".join(line + "\n" for line in text), encoding="utf-8")
    for number in range(1, systems + 1):
        draw = random.Random(number)
        rate = 0.2 + 0.02 * number
        lines = "".join(spoilt(draw, line, rate) + "\n" for line in text)
        (folder / f"system{number}").write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Tests of scripts/make_line_images.py: the promises of its help text."""

import gzip
import hashlib
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "make_line_images.py"

try:
    import PIL  # noqa: F401

    HAS_PILLOW = True
except ImportError:
    HAS_PILLOW = False

FONTS = sorted({path.name: str(path) for path in pathlib.Path("/usr/share/fonts").rglob("*.ttf")
                if re.match(r"(DejaVu|Liberation|Free|OpenSans|Lato)", path.name)}.values())  # fmt: skip
ENOUGH = HAS_PILLOW and len(FONTS) >= 4
WHY_NOT = "needs Pillow and four fonts: apt-get install python3-pil fonts-dejavu fonts-liberation"

WORDS = "a man reads the old book in front of his house while two dogs run over wet grass".split()
SIZES = ("--train", "30", "--valid", "4", "--test", "6")


def run(*arguments, **environment):
    return subprocess.run([sys.executable, "-B", str(SCRIPT), *arguments], capture_output=True, text=True,
                          env=dict(os.environ, **environment), check=False)  # fmt: skip


def text_of(count):
    return ["%s %d %s." % (" ".join(WORDS[i % 7:]), i, " ".join(WORDS[:i % 16])) for i in range(count)]


def read_npy(path):
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = data[10:10 + length].decode("ascii")
    match = re.fullmatch(r"{'descr': '\|u1', 'fortran_order': False, 'shape': \((\d+), (\d+), 1\), } *\n", header)
    assert data[:8] == b"\x93NUMPY\x01\x00" and (10 + length) % 64 == 0 and match, header
    return int(match.group(1)), int(match.group(2)), data[10 + length:]


def digest(folder):
    whole = hashlib.sha256()
    for path in sorted(pathlib.Path(folder).rglob("*")):
        whole.update(str(path.relative_to(folder)).encode() + b"\0" + (path.read_bytes() if path.is_file() else b""))
    return whole.hexdigest()


class LineImages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.text = self.folder / "text"
        self.text.write_text("\n".join(text_of(40)) + "\n", encoding="utf-8")
        self.fonts = ("--train-fonts", *FONTS[:2], "--valid-fonts", *FONTS[2:3], "--test-fonts", *FONTS[3:4])

    def draw(self, name, *options, text=None, **environment):
        output = self.folder / name
        result = run("--text", str(text or self.text), "--output", str(output), *self.fonts, *options, **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "")
        return output

    def lines(self, path):
        return path.read_text(encoding="utf-8").splitlines()


@unittest.skipUnless(ENOUGH, WHY_NOT)
class Drawing(LineImages):
    def test_pictures_and_texts_belong_together(self):
        output = self.draw("out", *SIZES, "--height", "24", "--max-characters", "30")
        sources = " ".join(text_of(40))
        for split, count in (("train", 30), ("valid", 4), ("test", 6)):
            names, texts = self.lines(output / (split + ".list")), self.lines(output / (split + ".txt"))
            self.assertEqual([len(names), len(texts), len(self.lines(output / (split + ".fonts")))], [count] * 3)
            for name, text in zip(names, texts):
                height, width, pixels = read_npy(output / name)
                self.assertEqual(height, 24)
                self.assertEqual(len(pixels), height * width)
                self.assertTrue(4 * len(text) <= width <= 24 * len(text) + 24, (width, text))
                self.assertGreater(max(pixels) - min(pixels), 90)  # dark text on a light ground
                self.assertGreater(sum(pixels) / len(pixels), 128)
                self.assertLessEqual(len(text), 30)
                self.assertIn(text, sources)

    def test_no_text_or_font_is_in_two_parts(self):
        output = self.draw("out", *SIZES)
        for kind in ("txt", "fonts"):
            parts = [set(self.lines(output / (split + "." + kind))) for split in ("train", "valid", "test")]
            self.assertEqual(len(set.union(*parts)), sum(map(len, parts)))

    def test_the_same_seed_gives_the_same_bytes(self):
        first = digest(self.draw("first", *SIZES, PYTHONHASHSEED="1"))
        self.assertEqual(digest(self.draw("again", *SIZES, PYTHONHASHSEED="2")), first)
        self.assertNotEqual(digest(self.draw("other", *SIZES, "--seed", "2")), first)

    def test_text_may_be_compressed_and_has_only_characters_of_latin_1(self):
        packed = self.folder / "text.gz"
        lines = text_of(40) + ["\u0391\u03b8\u03ae\u03bd\u03b1", "na\u00efve caf\u00e9"]
        packed.write_bytes(gzip.compress("\n".join(lines).encode("utf-8")))
        output = self.draw("out", "--train", "60", "--valid", "1", "--test", "1", text=packed)
        texts = sum((self.lines(output / (split + ".txt")) for split in ("train", "valid", "test")), [])
        self.assertTrue(all(max(text) <= "\xff" for text in texts))


@unittest.skipUnless(ENOUGH, WHY_NOT)
class Errors(LineImages):
    def fault(self, *arguments):
        result = run(*arguments)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stderr, r"\Amake_line_images.py: [^\n]+\n\Z")
        return result.stderr

    def test_say_what_is_wrong(self):
        output = str(self.folder / "out")
        given = ("--text", str(self.text), "--output", output)
        self.assertIn("the text is too short for 9000 + 4 + 6 pictures", self.fault(
            *given, *self.fonts, "--train", "9000", "--valid", "4", "--test", "6"))  # fmt: skip
        self.assertIn("missing: cannot be read", self.fault("--text", "missing", "--output", output, *self.fonts))
        latin = self.folder / "latin"
        latin.write_bytes(b"caf\xe9\n")
        self.assertIn("cannot be read as UTF-8", self.fault("--text", str(latin), "--output", output, *self.fonts))
        same = ("--train-fonts", FONTS[0], "--valid-fonts", FONTS[1], "--test-fonts", FONTS[0])
        self.assertIn("the same font for train and test", self.fault(*given, *same))
        broken = ("--train-fonts", str(self.text), "--valid-fonts", FONTS[1], "--test-fonts", FONTS[2])
        self.assertIn("not a font that can be read", self.fault(*given, *broken))
        self.assertIn("is not empty", self.fault(
            "--text", str(self.text), "--output", str(self.folder), *self.fonts, *SIZES))  # fmt: skip
        self.assertFalse(os.path.exists(output))


class WithoutPillow(LineImages):
    def test_says_what_to_install(self):
        (self.folder / "PIL.py").write_text("raise ImportError", encoding="utf-8")
        result = run("--text", str(self.text), "--output", str(self.folder / "out"), PYTHONPATH=str(self.folder))
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, "make_line_images.py: needs Pillow: apt-get install python3-pil, or pip "
                                        "install pillow\n")  # fmt: skip


if __name__ == "__main__":
    unittest.main()

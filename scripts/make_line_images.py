#!/usr/bin/env python3
"""Draws lines of text in many fonts, for a model that learns to read them.

    make_line_images.py --text book.txt --output data/lines

makes, for each of train, valid and test:

    train.list   the path of one picture per line, for data.train_source with data.source_type: features
    train.txt    the text of each picture, for data.train_target
    train.fonts  the font of each picture
    train/       the pictures: NumPy's .npy files, uint8 of [height, width, 1], dark text on a light ground

No text and no font of valid or test occurs in another part. Position, size, slant, slope, width, shades, blur and noise
vary. The same options, text, fonts and versions of Pillow and FreeType give the same bytes.

Needs Pillow and fonts. On Debian and Ubuntu:

    apt-get install python3-pil fonts-dejavu fonts-liberation fonts-freefont-ttf fonts-lato fonts-roboto-unhinted \\
        fonts-linuxlibertine fonts-cantarell fonts-sil-gentium-basic fonts-open-sans fonts-sil-charis \\
        fonts-crosextra-caladea
"""

import argparse
import gzip
import os
import random
import struct
import sys
import zlib

SPLITS = ("train", "valid", "test")
FONT_FOLDER = "/usr/share/fonts"
SCALE = 3  # texts are drawn larger and then made smaller, so that letters stand between pixels too

# The fonts of each part, by the Debian package that has them.
FONTS = {
    "train": {
        "fonts-dejavu": "DejaVuSans DejaVuSans-Bold DejaVuSans-Oblique DejaVuSansCondensed DejaVuSansMono DejaVuSerif "
                        "DejaVuSerif-Bold DejaVuSerif-Italic DejaVuSerifCondensed",
        "fonts-liberation": "LiberationSans-Regular LiberationSans-Bold LiberationSans-Italic "
                            "LiberationSansNarrow-Regular LiberationSerif-Regular LiberationSerif-Bold "
                            "LiberationSerif-Italic LiberationMono-Regular",
        "fonts-freefont-ttf": "FreeSans FreeSansBold FreeSansOblique FreeSerif FreeSerifBold FreeSerifItalic",
        "fonts-lato": "Lato-Regular Lato-Bold Lato-Italic",
        "fonts-roboto-unhinted": "Roboto-Regular Roboto-Bold Roboto-Italic RobotoCondensed-Regular",
        "fonts-linuxlibertine": "LinLibertine_R LinLibertine_RB LinLibertine_RI LinBiolinum_R LinBiolinum_RI",
    },
    "valid": {
        "fonts-cantarell": "Cantarell-Regular Cantarell-Bold",
        "fonts-sil-gentium-basic": "GenBasR GenBasB GenBasI",
    },
    "test": {
        "fonts-open-sans": "OpenSans-Regular OpenSans-Bold OpenSans-Italic",
        "fonts-sil-charis": "CharisSIL-Regular CharisSIL-Italic",
        "fonts-crosextra-caladea": "Caladea-Regular Caladea-Bold Caladea-Italic",
    },
}


class LinesError(Exception):
    """Something the person who called can mend."""


try:
    from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont
except ImportError:
    Image = None


def installed_fonts(split):
    """The paths of the fonts of a part."""
    by_name = {}
    for folder, _, names in sorted(os.walk(FONT_FOLDER)):
        for name in sorted(names):
            stem, extension = os.path.splitext(name)
            if extension in (".ttf", ".otf"):
                by_name.setdefault(stem, os.path.join(folder, name))
    missing = [package for package, names in FONTS[split].items() if not by_name.keys() >= set(names.split())]
    if missing:
        raise LinesError("fonts are missing: apt-get install %s, or name fonts with --%s-fonts" % (
            " ".join(missing), split))  # fmt: skip
    return [by_name[name] for names in FONTS[split].values() for name in names.split()]


def fonts_of(options):
    """{split: paths}; no font, by its file name, is in two parts."""
    fonts, part_of = {}, {}
    for split in SPLITS:
        fonts[split] = getattr(options, split + "_fonts") or installed_fonts(split)
        for path in fonts[split]:
            try:
                ImageFont.truetype(path, 16)
            except OSError:
                raise LinesError("%s: not a font that can be read; name a TrueType or OpenType file" % path) from None
            other = part_of.setdefault(os.path.basename(path), split)
            if other != split:
                raise LinesError("%s: the same font for %s and %s; name another" % (path, other, split))
    return fonts


def is_drawable(text):
    """Whether all characters are printable ones of Latin-1, which all the fonts have."""
    return all(" " <= c <= "~" or "\xa1" <= c <= "\xff" and c != "\xad" for c in text)


def read_text(paths):
    """The lines of the files, each once, with single spaces; those with characters that the fonts may lack left out."""
    lines = {}
    for path in paths:
        opener = gzip.open if path.endswith(".gz") else open
        try:
            with opener(path, "rt", encoding="utf-8") as text:
                for line in text:
                    lines[" ".join(line.split())] = None
        except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
            raise LinesError("%s: cannot be read as UTF-8 text: %s" % (path, error)) from None
    return [line for line in lines if line and is_drawable(line)]


def pieces_of(line, widest):
    """The line in pieces of whole words, each of at most a width that widest() returns."""
    piece, width = "", widest()
    for word in line.split():
        if piece and len(piece) + 1 + len(word) > width:
            yield piece
            piece, width = word, widest()
        else:
            piece = piece + " " + word if piece else word
    yield piece


def split_text(lines, sizes, longest, seed):
    """{split: texts}. No text is in two parts, and no line of the source has pieces in two. Half of the widths of train
    are short, since an attention learns to follow a text on short ones first."""
    rng = random.Random("%d text" % seed)

    def long_width():
        return rng.randint((longest + 1) // 2, longest)

    def any_width():
        return rng.randint(1, rng.choice((max(longest // 5, 1), longest)))

    rng.shuffle(lines)
    source, seen, splits = iter(lines), set(), {}
    for split in reversed(SPLITS):
        texts = []
        while len(texts) < sizes[split]:
            line = next(source, None)
            if line is None:
                raise LinesError("the text is too short for %d + %d + %d pictures; give more text, or ask for fewer" % (
                    tuple(sizes[split] for split in SPLITS)))  # fmt: skip
            for piece in pieces_of(line, any_width if split == "train" else long_width):
                if len(piece) <= longest and piece not in seen:
                    seen.add(piece)
                    texts.append(piece)
        rng.shuffle(texts)
        splits[split] = texts[:sizes[split]]
    return splits


class Painter:
    """Draws texts; all that varies is a function of the random numbers."""

    def __init__(self, height):
        self._height = height
        self._fonts = {}

    def draw(self, text, path, rng):
        """A grey picture of this height, as wide as the text needs."""
        mask = self._ink(text, path, rng)
        ground = rng.randint(190, 255)
        ink = rng.randint(0, ground - 140)
        picture = mask.point([ground + (ink - ground) * value // 255 for value in range(256)])
        picture = picture.filter(ImageFilter.GaussianBlur(rng.uniform(0.0, 0.6)))
        noise = Image.blend(self._noise(picture.size, rng), self._noise(picture.size, rng), 0.5)
        strength = rng.uniform(0.0, 0.35)
        noise = noise.point([128 + round((value - 128) * strength) for value in range(256)])
        return ImageChops.add(picture, noise, 1, -128)

    def _font(self, path, size):
        if (path, size) not in self._fonts:
            # Layout 0 is the basic one, with a glyph for each character; the other needs a library, Raqm.
            self._fonts[path, size] = ImageFont.truetype(path, size, layout_engine=0)
        return self._fonts[path, size]

    @staticmethod
    def _noise(size, rng):
        count = size[0] * size[1]
        return Image.frombytes("L", size, rng.getrandbits(8 * count).to_bytes(count, "little"))

    def _ink(self, text, path, rng):
        """White text on black: slanted, sloping, stretched, and somewhere in the free room."""
        height = SCALE * self._height
        size = rng.randint(round(0.5 * height), round(0.66 * height))
        while True:
            font = self._font(path, size)
            left, _, right, _ = font.getbbox(text)
            _, top, _, bottom = font.getbbox(text + "Hg")  # so that the baseline varies little
            room = height - 2 * SCALE - (bottom - top)
            if room >= 0 or size <= 4 * SCALE:
                break
            size -= 1
        slope = rng.uniform(-1.0, 1.0) * min(2.0 * SCALE, max(room, 0) / 2)  # pixels from the left end to the right one
        y = SCALE + abs(slope) / 2 + rng.uniform(0.0, 1.0) * max(room - abs(slope), 0)
        slant = rng.uniform(-0.1, 0.2)
        stretch = rng.uniform(0.9, 1.1)
        margin = height // 4
        inner = right - left + 2 * margin
        mask = Image.new("L", (inner, height))
        ImageDraw.Draw(mask).text((margin - left, round(y) - top), text, fill=255, font=font)
        width = round(inner * stretch / SCALE) * SCALE
        begin = -slant * height / 2 + rng.uniform(-0.3, 0.3) * margin
        mask = mask.transform((width, height), Image.AFFINE,
                              (1 / stretch, slant, begin, slope / width, 1.0, -slope / 2), Image.BILINEAR)  # fmt: skip
        return mask.reduce(SCALE)


def npy_bytes(picture):
    """The file that numpy.save writes for uint8 of [height, width, 1]."""
    header = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d, 1), }" % (picture.height, picture.width)
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("ascii") + picture.tobytes()


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(line + "\n" for line in lines)


def write_split(folder, split, texts, fonts, painter, seed):
    """Draws and writes a part, and returns a line about it."""
    os.mkdir(os.path.join(folder, split))
    names, chosen, widths = [], [], []
    for i, text in enumerate(texts):
        rng = random.Random("%d %s %d" % (seed, split, i))
        path = rng.choice(fonts)
        picture = painter.draw(text, path, rng)
        names.append("%s/%06d.npy" % (split, i + 1))
        chosen.append(os.path.basename(path))
        widths.append(picture.width)
        with open(os.path.join(folder, names[-1]), "wb") as out:
            out.write(npy_bytes(picture))
    write_lines(os.path.join(folder, split + ".fonts"), chosen)
    write_lines(os.path.join(folder, split + ".txt"), texts)
    write_lines(os.path.join(folder, split + ".list"), names)
    return "%-5s %6d pictures, %d to %d pixels wide (mean %.0f), %d different characters, %d fonts" % (
        split, len(texts), min(widths), max(widths), sum(widths) / len(widths), len(set("".join(texts))), len(fonts))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    def between(least, most):
        def parse(text):
            value = int(text)
            if not least <= value <= most:
                raise argparse.ArgumentTypeError("%s: must be %d to %d" % (text, least, most))
            return value

        return parse

    parser.add_argument("--text", required=True, nargs="+", metavar="FILE",
                        help="the text to draw: UTF-8, plain or gzip; long lines are cut between words")  # fmt: skip
    parser.add_argument("--output", required=True, metavar="DIR", help="the folder to write to; must be empty, created if missing")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other pictures (default: 1)")
    for split, size in (("train", 40000), ("valid", 500), ("test", 1000)):
        parser.add_argument("--" + split, type=between(1, 999999), default=size, metavar="N",
                            help="pictures in %s (default: %d)" % (split, size))  # fmt: skip
    parser.add_argument("--height", type=between(16, 256), default=32, metavar="N",
                        help="height of a picture in pixels (default: 32)")  # fmt: skip
    parser.add_argument("--max-characters", type=between(1, 1000), default=60, metavar="N",
                        help="longest line in characters (default: 60)")  # fmt: skip
    for split in SPLITS:
        parser.add_argument("--%s-fonts" % split, nargs="+", metavar="FILE",
                            help="fonts of %s (default: fonts of the Debian packages above)" % split)  # fmt: skip
    return parser.parse_args()


def main():
    options = parse_arguments()
    folder = options.output
    try:
        if Image is None:
            raise LinesError("needs Pillow: apt-get install python3-pil, or pip install pillow")
        fonts = fonts_of(options)
        sizes = {split: getattr(options, split) for split in SPLITS}
        texts = split_text(read_text(options.text), sizes, options.max_characters, options.seed)
        os.makedirs(folder, exist_ok=True)
        if os.listdir(folder):  # files of earlier runs would be left among those of this one
            raise LinesError("%s is not empty; choose another folder, or remove it" % folder)
        painter = Painter(options.height)
        for split in SPLITS:
            print(write_split(folder, split, texts[split], fonts[split], painter, options.seed), file=sys.stderr)
    except LinesError as error:
        sys.exit("make_line_images.py: %s" % error)
    except OSError as error:
        sys.exit("make_line_images.py: cannot write to %s: %s" % (folder, error.strerror))
    print("written to %s" % folder, file=sys.stderr)


if __name__ == "__main__":
    main()

"""Checks that every relative link in the documentation leads to a file, and every anchor to a heading of that file; and
that every source file and member of a class that it names exists."""
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The target of [text](target "title") and of ![text](target); the text may span lines.
LINK = re.compile(r"\]\(\s*<?([^()\s>]+(?:\([^()\s]*\)[^()\s>]*)*)>?(?:\s+\"[^\"]*\")?\s*\)")
# `folder/file.cpp` and `Class::function` in running text.
SOURCE_FILE = re.compile(r"`((?:\w+/)+\w+\.(?:h|cpp))`")
MEMBER = re.compile(r"`(\w+)::(\w+)(?:\([^`]*\))?`")
FENCE = re.compile(r"^ *(```|~~~)")


def prose(text):
    """The text without fenced code; lines stay where they are."""
    lines, fenced = [], False
    for line in text.splitlines():
        if FENCE.match(line):
            fenced = not fenced
            line = ""
        lines.append("" if fenced else line)
    return lines


def anchors(text):
    """The anchors that GitHub gives to the headings of a Markdown text."""
    found = set()
    for line in prose(text):
        heading = re.match(r" {0,3}#{1,6}\s+(.*?)\s*#*\s*$", line)
        if not heading:
            continue
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
        base = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        name, again = base, 0
        while name in found:
            again += 1
            name = f"{base}-{again}"
        found.add(name)
    return found


def links(text):
    """(line number, target) of every link outside of code."""
    plain = "\n".join(re.sub(r"`[^`]*`", "", line) for line in prose(text))
    for match in LINK.finditer(plain):
        yield plain.count("\n", 0, match.start()) + 1, match.group(1)


def broken_links(page, root):
    """One message for each link of a page that leads nowhere."""
    messages = []
    text = page.read_text(encoding="utf-8")
    for number, target in links(text):
        if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / urllib.parse.unquote(path)).resolve() if path else page
        where = f"{page.relative_to(root)}:{number}: {target}"
        if not file.exists():
            messages.append(f"{where}: there is no such file")
        elif root.resolve() not in (file.resolve(), *file.resolve().parents):
            messages.append(f"{where}: leads out of the project")
        elif anchor and (file.suffix != ".md" or anchor not in anchors(file.read_text(encoding="utf-8"))):
            messages.append(f"{where}: there is no such heading")
    return messages


def unknown_names(page, root, sources):
    """One message for each source file or member of a class that a page names and that does not exist."""
    messages = []
    for number, line in enumerate(prose(page.read_text(encoding="utf-8")), start=1):
        where = f"{page.relative_to(root)}:{number}"
        for name in SOURCE_FILE.findall(line):
            if "NAME" not in name and not any((root / top / name).exists() for top in ("src", "tests", "include", "")):
                messages.append(f"{where}: {name}: there is no such file")
        for owner, member in MEMBER.findall(line):
            known = re.search(rf"\b{owner}\b", sources) and re.search(rf"\b{member}\b", sources)
            if owner not in ("std", "at", "torch") and not known:
                messages.append(f"{where}: {owner}::{member}: there is no such member")
    return messages


def pages(root):
    """The Markdown files that git tracks or would add; without git, all outside of build folders."""
    try:
        listed = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
            capture_output=True, text=True, check=True)
        found = [root / name for name in listed.stdout.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        found = [page for page in root.rglob("*.md") if "build" not in page.relative_to(root).parts]
    return sorted(page for page in found if page.exists())


class DocumentationLinks(unittest.TestCase):
    def test_every_relative_link_and_anchor_resolves(self):
        found = pages(ROOT)
        self.assertIn(ROOT / "README.md", found)
        self.assertEqual([message for page in found for message in broken_links(page, ROOT)], [])

    def test_every_source_file_and_member_that_is_named_exists(self):
        sources = "\n".join(path.read_text(encoding="utf-8") for top in ("src", "include")
                            for path in sorted((ROOT / top).rglob("*")) if path.suffix in (".h", ".cpp"))
        found = [page for page in pages(ROOT) if page.name != "CHANGELOG.md"]
        self.assertEqual([message for page in found for message in unknown_names(page, ROOT, sources)], [])

    def test_names_the_line_of_a_name_that_is_gone(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "src" / "a").mkdir(parents=True)
            (root / "src" / "a" / "b.h").write_text("class Dog {\n    void bark(int);\n};\n", encoding="utf-8")
            page = root / "a.md"
            page.write_text("`a/b.h` `Dog::bark` `std::move`\n`a/c.h` `Dog::meow(x)`\n`Cat::bark`\n", encoding="utf-8")
            self.assertEqual(unknown_names(page, root, (root / "src/a/b.h").read_text(encoding="utf-8")), [
                "a.md:2: a/c.h: there is no such file",
                "a.md:2: Dog::meow: there is no such member",
                "a.md:3: Cat::bark: there is no such member",
            ])

    def test_every_page_of_the_documentation_is_reached_from_the_readme(self):
        reached, waiting = set(), [ROOT / "README.md"]
        while waiting:
            page = waiting.pop()
            if page in reached or page.suffix != ".md" or not page.is_file():
                continue
            reached.add(page)
            for _, target in links(page.read_text(encoding="utf-8")):
                if not re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|#", target):
                    waiting.append((page.parent / target.partition("#")[0]).resolve())
        self.assertEqual(sorted(set((ROOT / "docs").glob("*.md")) - reached), [])

    def test_names_the_line_of_a_link_that_leads_nowhere(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "b.md").write_text("# One and two\n\n## `--flag`, *again*\n\n```\n# no heading\n```\n",
                                       encoding="utf-8")
            page = root / "a.md"
            page.write_text("[x](b.md) [x](b.md#one-and-two) [x](b.md#--flag-again) [x](https://example.org)\n"
                            "`[x](code.md)`\n\n```\n[x](code.md)\n```\n"
                            "[x](c.md) [a long\ntext](b.md#no-heading) ![x](no.png) [x](#none) [x](../up.md)\n",
                            encoding="utf-8")
            self.assertEqual(broken_links(page, root), [
                "a.md:7: c.md: there is no such file",
                "a.md:8: b.md#no-heading: there is no such heading",
                "a.md:8: no.png: there is no such file",
                "a.md:8: #none: there is no such heading",
                "a.md:8: ../up.md: there is no such file",
            ])


if __name__ == "__main__":
    unittest.main()

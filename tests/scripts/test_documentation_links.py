"""Checks that every relative link in the documentation leads to a file, and every anchor to a heading of that file."""
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The target of [text](target "title") and of ![text](target); the text may span lines.
LINK = re.compile(r"\]\(\s*<?([^()\s>]+(?:\([^()\s]*\)[^()\s>]*)*)>?(?:\s+\"[^\"]*\")?\s*\)")
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

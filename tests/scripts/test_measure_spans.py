"""Tests of scripts/measure_spans.py."""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "measure_spans.py"
spec = importlib.util.spec_from_file_location("measure_spans", SCRIPT)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)

# Says what it is given, but drops what has a dot, unless it is to keep spans; BLEU is the number of right lines.
PROGRAM = """#!{python}
import sys
arguments = sys.argv[1:]
named = lambda name: arguments[arguments.index(name) + 1]
if arguments[0] == "translate":
    keeps = "--keep-spans" in arguments
    lines = open(named("--input")).read().splitlines()
    text = [" ".join(w for w in line.split() if keeps or "." not in w) for line in lines]
    open(named("--output"), "w").write("".join(line + "\\n" for line in text))
else:
    both = [open(named(name)).read().splitlines() for name in ("--hypotheses", "--references")]
    print(sum(a == b for a, b in zip(*both)))
"""


class MeasureSpans(unittest.TestCase):
    def test_every_line_gets_one_span(self):
        lines = ["one two three", "one"] * 8
        texts, spans = module.with_spans(lines)
        self.assertEqual(module.with_spans(lines), (texts, spans))
        for line, text, span in zip(lines, texts, spans):
            self.assertEqual(text.count(span), 1)
            self.assertEqual(" ".join(text.replace(span, "").split()), line)

    def test_a_span_is_kept_if_it_is_there_once(self):
        self.assertEqual(module.count_kept(["a %s", "a", "%s %s"], ["%s"] * 3), 1)
        self.assertEqual(module.without(["a %s b", "a", "%s a"], ["%s"] * 3), ["a b", "a", "a"])

    def run_on(self, lines, count):
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(folder) / "text"
            text.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
            program = pathlib.Path(folder) / "program"
            program.write_text(PROGRAM.format(python=sys.executable), encoding="utf-8")
            program.chmod(0o755)
            return subprocess.run([sys.executable, "-B", str(SCRIPT), "--program", str(program), "--model", "m",
                                   "--source", str(text), "--references", str(text), "--lines", str(count)],
                                  capture_output=True, text=True, check=False)  # fmt: skip

    def test_the_table(self):
        result = self.run_on(["one two"] * 20, 16)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.splitlines()[2:], [
            "| lines without spans | | 16 |",
            "| with spans | 62.5 % | 16 |",
            "| with spans, `--keep-spans` | 100.0 % | 16 |",
        ])  # fmt: skip

    def test_too_few_lines_are_an_error(self):
        result = self.run_on(["one"], 2)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, "^error: .* has 1 lines, not 2")
        self.assertEqual(self.run_on(["one"], 0).returncode, 1)


if __name__ == "__main__":
    unittest.main()

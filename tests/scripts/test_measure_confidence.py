"""Tests of scripts/measure_confidence.py."""

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "measure_confidence.py"
spec = importlib.util.spec_from_file_location("measure_confidence", SCRIPT)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)


def line(text, confidence, words):
    return json.dumps({"translations": [{"text": text, "confidence": confidence, "word_confidences": words}]})


class MeasureConfidence(unittest.TestCase):
    def test_a_word_is_right_as_often_as_the_reference_has_it(self):
        self.assertEqual(module.right_words("a b a a".split(), "a c a"), [True, False, True, False])

    def test_the_calibration_error_is_the_mean_gap(self):
        self.assertAlmostEqual(module.calibration_error([(0.95, True), (0.95, True), (0.15, False), (0.15, True)]),
                               (0.1 + 0.7) / 4)  # fmt: skip
        self.assertAlmostEqual(module.calibration_error([(1.0, True), (0.0, False)]), 0.0)

    def test_correlation(self):
        self.assertAlmostEqual(module.correlation([(0.1, 1.0), (0.2, 2.0), (0.4, 4.0)]), 1.0)
        self.assertAlmostEqual(module.correlation([(0.1, 4.0), (0.3, 2.0)]), -1.0)
        self.assertEqual(module.correlation([(0.1, 4.0), (0.1, 2.0)]), 0.0)

    def run_on(self, lines, references):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / name for name in ("json", "references")]
            paths[0].write_text("".join(text + "\n" for text in lines), encoding="utf-8")
            paths[1].write_text("".join(text + "\n" for text in references), encoding="utf-8")
            return subprocess.run([sys.executable, "-B", str(SCRIPT), *map(str, paths)], capture_output=True, text=True,
                                  check=False)  # fmt: skip

    def test_the_tables(self):
        done = self.run_on([line("a b", 0.9, [0.95, 0.85]), line("c", 0.2, [0.2]), line("", 1.0, [])], ["a x", "d", ""])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| 0.9 to 1.0 | 1 | 0.950 | 1.000 |", done.stdout)
        self.assertIn("| all | 3 | 0.667 | 0.333 |", done.stdout)
        self.assertIn("correlation of sentences: 1.000", done.stdout)

    def test_what_does_not_fit_is_refused(self):
        self.assertIn("has 2 lines", self.run_on([line("a", 0.5, [0.5])], ["a", "b"]).stderr)
        self.assertIn("1 words with 2", self.run_on([line("a", 0.5, [0.5, 0.5])], ["a"]).stderr)
        self.assertIn("not what translate", self.run_on(["{}"], ["a"]).stderr)


if __name__ == "__main__":
    unittest.main()

"""Tests of scripts/lib/scale_model.py."""

import contextlib
import importlib.util
import io
import json
import math
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib" / "scale_model.py"
spec = importlib.util.spec_from_file_location("scale_model", SCRIPT)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)

PARAMETERS = 1_000_000
BATCH, REST, COPYING = 0.4, 0.05, 2e-9  # seconds, seconds, seconds a byte
SENT = 4 * PARAMETERS  # bytes of two processes


def run(processes, workers, cable, batches, seconds):
    return {"processes": processes, "workers": workers, "cable": cable, "batches": batches, "seconds": seconds,
            "tokens": 1000.0 * batches, "sent": SENT if processes > 1 else 0.0, "parameters": PARAMETERS}  # fmt: skip


def calibration():
    return [run(*shape, "-", batches, REST + batches * BATCH + (shape[0] > 1) * SENT * COPYING)
            for shape in ((1, 2), (2, 1)) for batches in (1, 4)]  # fmt: skip


class ScaleModel(unittest.TestCase):
    def model(self, runs):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "runs"
            path.write_text("".join(json.dumps(one) + "\n" for one in runs), encoding="utf-8")
            self.cases = module.load(path)
        return module.Model(self.cases)

    def test_finds_what_a_batch_the_rest_and_a_byte_cost(self):
        model = self.model(calibration())
        self.assertAlmostEqual(model.batch, BATCH)
        self.assertAlmostEqual(model.rest, REST)
        self.assertAlmostEqual(model.copying, COPYING)

    def test_one_core_less_is_another_machine(self):
        model = self.model(calibration() + [run(1, 1, "-", 1, 9.0)])
        self.assertAlmostEqual(model.compute(1), BATCH + REST)

    def test_a_cable_takes_bytes_over_rate_and_its_delay_for_each_wait(self):
        model = self.model(calibration())
        self.assertAlmostEqual(model.seconds(2, "1000", 4), REST + 4 * BATCH + SENT * (COPYING + 8e-9))
        self.assertAlmostEqual(model.seconds(2, "1000:1", 1),
                               REST + BATCH + SENT * (COPYING + 8e-9) + module.WAITS * 1e-3
                               + 2e-3 * (math.log2(250_000 / module.FIRST_WINDOW) - 1))  # fmt: skip

    def test_a_short_cable_needs_no_time_to_begin(self):
        self.assertEqual(module.of_network(125e6, 1e-6, 125e6, 2), (1.0, module.WAITS * 1e-6))

    def test_a_long_cable_is_no_faster_than_its_window(self):
        model = self.model(calibration())
        self.assertAlmostEqual(model.seconds(2, "100000:50", 1), model.seconds(2, "10000:50", 1))

    def test_prints_a_line_for_each_case(self):
        model_runs = calibration() + [run(2, 1, "1000", 1, 1.0)]
        self.model(model_runs)
        for print_table, lines in ((module.table, 1 + 5), (module.predict, 1 + 4 * 2 * 3)):
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
                print_table(self.cases)
            rows = out.getvalue().splitlines()
            self.assertEqual(len(rows), lines)
            self.assertEqual({row.count("\t") for row in rows}, {rows[0].count("\t")})


if __name__ == "__main__":
    unittest.main()

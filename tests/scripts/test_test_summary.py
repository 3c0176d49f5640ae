"""Tests of scripts/lib/test_summary.sh: python3 tests/scripts/test_test_summary.py"""
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def summary(tests, records):
    """Exit status and lines, for CTest's tests as (name, status, message of <skipped>) and records by name."""
    with tempfile.TemporaryDirectory(prefix="a space ") as folder:
        xml = "<testsuite>\n"
        for name, status, message in tests:
            xml += f'\t<testcase name="{name}" classname="{name}" time="0.1" status="{status}">\n'
            xml += f'\t\t<skipped message="{message}"/>\n' if message else ""
            xml += "\t\t<system-out>planned Not.ATest\n&lt;testcase name=</system-out>\n\t</testcase>\n"
        pathlib.Path(folder, "ctest.xml").write_text(xml + "</testsuite>\n")
        for name, lines in records.items():
            pathlib.Path(folder, name).write_text("".join(line + "\n" for line in lines))
        run = subprocess.run([ROOT / "scripts/lib/test_summary.sh", folder], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout.splitlines()


class TestSummary(unittest.TestCase):
    def test_counts_recorded_tests_and_others(self):
        record = ["planned A.One", "planned A.Two/0", "planned A.Three", "passed A.One", "passed A.Two/0", "skipped A.Three"]
        self.assertEqual(summary([("a.file", "run", ""), ("scripts.x", "run", ""),
                                  ("html.browser", "notrun", "SKIP_RETURN_CODE=77"),
                                  ("scripts.y", "disabled", "Disabled")], {"a.file": record}),
                         (0, ["3 passed, 0 failed, 3 skipped"]))

    def test_names_what_failed(self):
        record = ["planned A.One", "planned A.Two", "failed A.One", "passed A.Two"]
        self.assertEqual(summary([("a.file", "fail", ""), ("fuzz.x", "fail", "")], {"a.file": record}),
                         (1, ["failed: A.One (a.file)", "failed: fuzz.x", "1 passed, 2 failed, 0 skipped"]))

    def test_tests_that_did_not_end_failed(self):
        record = ["planned A.One", "planned A.Two", "planned A.Three", "passed A.One"]
        self.assertEqual(summary([("a.file", "fail", "")], {"a.file": record}),
                         (1, ["failed: A.Two (a.file; the program ended before it)",
                              "failed: A.Three (a.file; the program ended before it)", "1 passed, 2 failed, 0 skipped"]))

    def test_a_program_that_fails_behind_its_tests(self):
        self.assertEqual(summary([("a.file", "fail", "")], {"a.file": ["planned A.One", "passed A.One"]}),
                         (1, ["failed: a.file (its tests passed, the program failed)", "1 passed, 1 failed, 0 skipped"]))

    def test_a_program_that_is_missing(self):
        self.assertEqual(summary([("a.file", "notrun", "Unable to find executable"), ("b.file", "fail", "")], {}),
                         (1, ["failed: a.file", "failed: b.file", "0 passed, 2 failed, 0 skipped"]))


if __name__ == "__main__":
    unittest.main()

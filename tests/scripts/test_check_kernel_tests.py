"""Tests of scripts/check_kernel_tests.py on a small tree."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_kernel_tests.py"

HEADER = """#pragma once
// double_all(x): a comment is no function.
struct Shape {
    int rows(int x);
};
void double_all(const float* x, float* y,
                int count);
template <typename T>
T* halve(T x);
SOFTALIGN_INLINE std::uint32_t bits(float x) {
    return twice(x);
}
class Packed {
public:
    void pack(int x);
};
"""
TESTS = "TEST(Doubling, IsThePlainForm) {\n}\nTYPED_TEST(Halving,\n           IsThePlainForm) {\n}\n"
TABLE = """# Contributing

## Kernels and their tests

| kernel | plain form | test |
| --- | --- | --- |
| `double_all`, `bits`, `Packed` | x + x | `Doubling.IsThePlainForm` |
{row}
## Another heading

| `not_a_kernel` | | |
"""
HALVE = "| `halve`, `kernels/small.h` | x / 2 | `Halving.IsThePlainForm` |\n"


def run_on(row):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {"src/kernels/small.h": HEADER, "tests/kernels/small_test.cpp": TESTS,
                           "CONTRIBUTING.md": TABLE.replace("{row}\n", row)}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout


class CheckKernelTests(unittest.TestCase):
    def test_accepts_a_table_that_has_them_all(self):
        self.assertEqual(run_on(HALVE), (0, "every kernel has its test\n"))

    def test_names_a_function_that_is_missing(self):
        status, output = run_on("")
        self.assertEqual(status, 1)
        self.assertEqual(output, 'src/kernels/small.h: halve is not in the table "Kernels and their tests" of '
                                 "CONTRIBUTING.md\n1 fault(s)\n")

    def test_names_what_there_is_not(self):
        status, output = run_on("| `halve`, `third`, `kernels/none.h` | | `Halving.IsGone` |\n| `bits` | | none |\n")
        self.assertEqual(status, 1)
        self.assertIn("CONTRIBUTING.md:8: no header of src/kernels has third\n", output)
        self.assertIn("CONTRIBUTING.md:8: there is no file src/kernels/none.h\n", output)
        self.assertIn("CONTRIBUTING.md:8: there is no test Halving.IsGone\n", output)
        self.assertIn("CONTRIBUTING.md:9: no test is named\n", output)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Checks that CONTRIBUTING.md says which tests cover each kernel.

    check_kernel_tests.py [ROOT]

Every public function and class of src/kernels/*.h must be in the first column of the table under "Kernels and their
tests", every name there must exist, and so must every file and every test that the table names. Prints one line for
each fault and ends with status 1 if there are any.
"""
import pathlib
import re
import sys

HEADING = "## Kernels and their tests"

# At the margin: what a header declares for others. Return type, name, and the parenthesis of the parameters.
FUNCTION = re.compile(r"^(?!#|//|using|return|typedef)[A-Za-z_][\w:<>*&, ]*?[\s*&](\w+)\(", re.MULTILINE)
CLASS = re.compile(r"^class (\w+) \{", re.MULTILINE)
TEST = re.compile(r"\b(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+)\s*,\s*(\w+)\s*\)")
QUOTED = re.compile(r"`([^`]+)`")


def public_names(root):
    """Function or class -> the header that declares it."""
    names = {}
    for path in sorted((root / "src" / "kernels").glob("*.h")):
        text = path.read_text(encoding="utf-8")
        for name in FUNCTION.findall(text) + CLASS.findall(text):
            names.setdefault(name, path.relative_to(root))
    return names


def rows_of(text):
    """(line number, cells) of each row of the table, without its head."""
    rows = []
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("## "):
            inside = line == HEADING
        elif inside and line.startswith("|"):
            rows.append((number, [cell.strip() for cell in line.strip("|").split("|")]))
    return rows[2:]


def tests_of(root):
    found = set()
    for path in sorted((root / "tests").rglob("*.cpp")):
        found.update(TEST.findall(path.read_text(encoding="utf-8")))
    return {f"{suite}.{name}" for suite, name in found}


def faults_of(root):
    names = public_names(root)
    tests = tests_of(root)
    listed = set()
    faults = []
    for number, cells in rows_of((root / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        place = f"CONTRIBUTING.md:{number}"
        for name in QUOTED.findall(cells[0]):
            listed.add(name)
            if "/" in name and not (root / "src" / name).is_file():
                faults.append(f"{place}: there is no file src/{name}")
            if "/" not in name and name not in names:
                faults.append(f"{place}: no header of src/kernels has {name}")
        for test in QUOTED.findall(cells[-1]):
            if test not in tests:
                faults.append(f"{place}: there is no test {test}")
        if not QUOTED.findall(cells[-1]):
            faults.append(f"{place}: no test is named")
    for name, header in names.items():
        if name not in listed:
            faults.append(f'{header}: {name} is not in the table "{HEADING[3:]}" of CONTRIBUTING.md')
    return faults


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    faults = faults_of(root)
    for fault in faults:
        print(fault)
    print(f"{len(faults)} fault(s)" if faults else "every kernel has its test")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Writes src/metrics/unicode_tables.cpp from the Unicode Character Database.

usage: make_unicode_tables.py UCD_DIRECTORY > src/metrics/unicode_tables.cpp

UCD_DIRECTORY holds UnicodeData.txt and DerivedCoreProperties.txt of one version (Debian: package unicode-data, in
/usr/share/unicode). Only needed to move to a newer Unicode version; the written file is kept with the sources.
"""
import pathlib
import re
import sys


def read_unicode_data(path):
    """(categories, lower-case mappings) by code point; ranges written as First/Last are filled in."""
    categories, lower = {}, {}
    first = None
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split(";")
        code = int(fields[0], 16)
        if fields[1].endswith(", First>"):
            first = code
            continue
        for each in range(first if first is not None else code, code + 1):
            categories[each] = fields[2]
        first = None
        if fields[13]:
            lower[code] = int(fields[13], 16)
    return categories, lower


def read_property(path, name):
    pattern = re.compile(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*" + name + r"\s*(?:#|$)")
    codes = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        match = pattern.match(line)
        if match:
            codes.update(range(int(match[1], 16), int(match[2] or match[1], 16) + 1))
    return codes


def ranges_of(codes):
    ranges = []
    for code in sorted(codes):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return ranges


def mapping_runs(lower):
    """Runs [first, last, stride, difference] of code points whose mapping differs by the same amount."""
    runs = []
    for code in sorted(lower):
        difference = lower[code] - code
        if runs:
            first, last, stride, run_difference = runs[-1]
            step = code - last
            if difference == run_difference and step <= 2 and (first == last or step == stride):
                runs[-1][1:3] = [code, step]
                continue
        runs.append([code, code, 1, difference])
    return runs


def write_rows(rows, out):
    line = "   "
    for row in rows:
        if len(line) + len(row) + 2 > 120:
            out.write(line + "\n")
            line = "   "
        line += " " + row + ","
    out.write(line + "\n};\n")


def write_table(name, row_type, rows, out):
    out.write(f"namespace {{\nconstexpr {row_type} {name}_rows[] = {{\n")
    write_rows(rows, out)
    out.write(f"}}  // namespace\nconst Table<{row_type}> {name}{{std::begin({name}_rows), std::end({name}_rows)}};\n\n")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1])
    categories, lower = read_unicode_data(directory / "UnicodeData.txt")
    properties = directory / "DerivedCoreProperties.txt"
    version = re.search(r"DerivedCoreProperties-([0-9.]+)\.txt", properties.read_text(encoding="utf-8"))[1]

    tables = [("number_ranges", {code for code, category in categories.items() if category[0] == "N"}),
              ("punctuation_ranges", {code for code, category in categories.items() if category[0] == "P"}),
              ("symbol_ranges", {code for code, category in categories.items() if category[0] == "S"}),
              ("cased_ranges", read_property(properties, "Cased")),
              ("case_ignorable_ranges", read_property(properties, "Case_Ignorable"))]

    out = sys.stdout
    out.write(f"""// Written by scripts/make_unicode_tables.py from the Unicode Character Database {version}
// (copyright Unicode, Inc., Unicode License v3). Do not edit.
#include "metrics/unicode_tables.h"

#include <iterator>

// clang-format off
namespace softalign {{

""")
    for name, codes in tables:
        rows = [f"{{0x{first:X}, 0x{last:X}}}" for first, last in ranges_of(codes)]
        write_table(name, "CodePointRange", rows, out)
    rows = [f"{{0x{first:X}, 0x{last:X}, {stride}, {difference}}}"
            for first, last, stride, difference in mapping_runs(lower)]
    write_table("lowercase_runs", "LowercaseRun", rows, out)
    out.write("}  // namespace softalign\n// clang-format on\n")


if __name__ == "__main__":
    main()

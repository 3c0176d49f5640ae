#!/usr/bin/env python3
"""Checks what the C++ files include, and what they ask of tensors.

    check_includes.py [ROOT]

- The folders of src/ include each other only as docs/architecture.md allows.
- Only the folders at the bottom ask for the device or the type of a tensor.
- No file keeps thread-local state.
- No two files define classes of the same name, because the linker would keep only one.
- Every file includes the standard headers for the names it uses (scripts/lib/standard_headers.py has the table).

Prints one line for each fault and ends with status 1 if there are any.
"""
import pathlib
import re
import sys

from lib.standard_headers import missing_headers

# The folders whose files are checked for missing standard headers.
FOLDERS = ["src", "include", "tests", "benchmarks", "examples", "cmake"]

# Folder -> the folders it may include, besides itself. Lower ones never know of higher ones.
ALLOWED = {
    "base": set(),
    "kernels": {"base"},
    "config": {"base"},
    "text": {"base", "config"},
    "document": {"text", "base"},
    "data": {"text", "base", "config"},
    "metrics": {"base"},
    "platform": {"base", "config"},
    "distributed": {"platform", "base", "config"},
    "ops": {"base", "kernels"},
    "model": {"ops", "data", "base", "config"},
    "search": {"ops", "model", "base", "config"},
    "storage": {"model", "ops", "text", "base", "config"},
    "journal": {"base", "config"},
    "html": {"base"},
    "translate": {"search", "storage", "platform", "ops", "model", "data", "document", "text", "base", "config"},
    "report": {"html", "translate", "search", "storage", "metrics", "journal", "platform", "ops", "model", "data",
               "text", "base", "config"},
    "train": {"translate", "document", "search", "storage", "metrics", "journal", "distributed", "platform", "ops", "model", "data",
              "text", "base", "config"},
    "benchmark": {"train", "translate", "search", "storage", "metrics", "journal", "distributed", "platform", "ops", "model", "data",
                  "text", "base", "config"},
    "serve": {"translate", "search", "storage", "platform", "ops", "model", "data", "document", "text", "base", "config"},
    "cli": {"serve", "benchmark", "report", "html", "train", "translate", "search", "storage", "metrics", "journal", "distributed",
            "platform", "model", "data", "document", "text", "base", "config"},
    "embed": {"translate", "search", "storage", "platform", "ops", "model", "data", "document", "text", "base", "config"},
}

# What a header of another library is for, by the start of its name.
LIBRARIES = [
    (re.compile(r"^(torch|ATen|c10)/"), "tensors"),
    (re.compile(r"^yaml-cpp/"), "yaml"),
    (re.compile(r"^sentencepiece"), "tokenizer"),
    (re.compile(r"^(fstream|filesystem|cstdio|stdio\.h|fcntl\.h|zlib\.h|sys/stat\.h)$"), "files"),
    (re.compile(r"^CLI/"), "command line"),
    (re.compile(r"^microhttpd"), "HTTP"),
    (re.compile(r"^gumbo"), "HTML"),
]

# The folders that may use a library of that kind; kinds that are not named here are open to all.
USERS = {
    "tensors": {"ops", "model", "search", "storage", "platform", "distributed", "translate", "report", "train", "benchmark",
                "serve",
                "cli", "embed"},
    "yaml": {"config"},
    "tokenizer": {"text"},
    "command line": {"cli"},
    "HTTP": {"serve"},
    "HTML": {"document"},
    "files": set(ALLOWED) - {"kernels", "ops", "model", "search", "html"},
}

# Files of one folder that are closed to another although the folder is open to it.
CLOSED = {
    "model": {"config/load.h": "model/ knows no YAML", "data/corpus.h": "model/ reads no files"},
}

# What asks for the device or the type of a tensor, and the folders that may; storage/ names the types in files.
DEVICE_QUESTION = re.compile(r"\b(is_cpu|is_cuda|scalar_type)\(\)")
MAY_ASK = {"ops", "platform", "storage"}

# State that a function's arguments do not show.
AMBIENT = re.compile(r"^\s*(static\s+)?([\w()]+\s+)*thread_local\b")

# A class that other files can name, and the namespaces without a name, whose classes they cannot.
CLASS = re.compile(r"^(?:class|struct|enum class) (?:\w+\(\w*\) )?(\w+)(?: final)?\s*(?::[^:;{\n][^;{\n]*)?\{", re.MULTILINE)
UNNAMED = re.compile(r"^namespace \{$.*?^\}  // namespace$", re.MULTILINE | re.DOTALL)

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def faults_of(folder, included, is_own):
    """What is wrong with one include in a file of that folder: a list of sentences."""
    if is_own:
        target = included.split("/")[0]
        if "/" not in included or target not in ALLOWED:
            return [f'"{included}" is not a path relative to src/ ("folder/file.h")']
        if included in CLOSED.get(folder, {}):
            return [f'"{included}": {CLOSED[folder][included]}']
        if target != folder and target not in ALLOWED[folder]:
            return [f'"{included}": {folder}/ may not include {target}/']
        return []
    for pattern, kind in LIBRARIES:
        if pattern.search(included) and folder not in USERS[kind]:
            return [f"<{included}>: {folder}/ may not use {kind}"]
    return []


def cpp_files(folder):
    return [path for path in sorted(folder.rglob("*")) if path.suffix in {".h", ".cpp"}]


def classes_defined_twice(root):
    """The classes of namespace softalign that several files of src/ define, as 'path: fault'."""
    first, faults = {}, []
    for path in cpp_files(root / "src"):
        for name in sorted(set(CLASS.findall(UNNAMED.sub("", path.read_text(encoding="utf-8"))))):
            if name in first:
                faults.append(f"{path}:1: {name} is defined in {first[name]} too")
            first.setdefault(name, path)
    return faults


def faults_of_folders(root):
    """What files of src/ include or ask for that their folder may not, as 'path:line: fault'."""
    faults = []
    source = root / "src"
    for path in cpp_files(source):
        folder = path.relative_to(source).parts[0]
        if folder not in ALLOWED:
            faults.append(f"{path}:1: src/{folder} is not in the table of scripts/check_includes.py")
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            match = INCLUDE.match(line)
            if match:
                own, library = match.groups()
                faults += [f"{path}:{number}: {fault}" for fault in faults_of(folder, own or library, own is not None)]
            if AMBIENT.match(line):
                faults.append(f"{path}:{number}: thread_local: pass it as an argument (ops/execution.h)")
            question = DEVICE_QUESTION.search(line)
            if question and folder not in MAY_ASK:
                faults.append(f"{path}:{number}: {question.group()}: {folder}/ may not ask for a tensor's device or type")
    return faults


def missing_includes(root):
    """The standard headers that files use without including them, as 'path:line: fault'."""
    faults = []
    for path in [path for folder in FOLDERS for path in cpp_files(root / folder)]:
        for number, name, headers in missing_headers(path.read_text(encoding="utf-8")):
            advice = ("add #include " + " or ".join(f"<{header}>" for header in headers) if headers else
                      "add the name to scripts/lib/standard_headers.py")
            faults.append(f"{path}:{number}: {name}: {advice}")
    return faults


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    if not (root / "src").is_dir():
        sys.exit(f"check_includes.py: {root} has no folder src")
    faults = faults_of_folders(root) + classes_defined_twice(root) + missing_includes(root)
    for fault in faults:
        print(fault)
    print(f"{len(faults)} fault(s)" if faults else "all includes are right")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

"""Tests of scripts/prepare_multi30k.sh. Those that need the corpus itself take it from shared/ beside the project and
are skipped where that is absent."""

import functools
import gzip
import hashlib
import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "prepare_multi30k.sh"
CORPUS = ROOT.parent / "shared" / "data" / "multi30k"
SPLITS, LANGUAGES = ("train", "val", "test_2016_flickr"), ("en", "de", "fr")
TEXTS = ["%s/%s.%s" % (kind, split, lang) for kind in ("raw", "tok") for split in SPLITS for lang in LANGUAGES]
needs_corpus = unittest.skipUnless(CORPUS.is_dir(), "the Multi30k corpus is not beside the project")


def run(*arguments, path=None):
    environment = dict(os.environ, **({"PATH": str(path)} if path else {}))
    command = [shutil.which("bash"), str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class PrepareMulti30k(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.output = self.folder / "out"

    def put(self, name, text):
        path = self.folder / "from" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)

    def lay_out_upstream(self):
        """The corpus as the public repository has it: raw as gzip, tok as plain text."""
        for text in TEXTS:
            kind, name = text.split("/")
            split, lang = name.rsplit(".", 1)
            if kind == "raw":
                self.put("data/task1/raw/%s.gz" % name, (CORPUS / ("raw.%s.gz" % name)).read_bytes())
            else:
                plain = gzip.decompress((CORPUS / ("lc_norm_tok.%s.gz" % name)).read_bytes())
                self.put("data/task1/tok/%s.lc.norm.tok.%s" % (split, lang), plain)

    def serve(self):
        handler = functools.partial(Quiet, directory=str(self.folder / "from"))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return "http://127.0.0.1:%d" % server.server_port

    def tools(self, *left_out):
        """A PATH that lacks the named programs."""
        tools = self.folder / "tools"
        tools.mkdir()
        for tool in ("cat", "cp", "curl", "cut", "dirname", "gzip", "mkdir", "mktemp", "mv", "od", "rm", "sha256sum",
                     "tr", "wget"):  # fmt: skip
            if tool not in left_out and shutil.which(tool):
                (tools / tool).symlink_to(shutil.which(tool))
        if "python3" not in left_out:
            (tools / "python3").symlink_to(sys.executable)
        return tools

    def assert_failed(self, result, *messages, code=1):
        self.assertEqual(result.returncode, code, result.stderr)
        for message in messages:
            self.assertIn(message, result.stderr)
        self.assertEqual(self.files(), [])

    def files(self):
        return sorted(str(p.relative_to(self.output)) for p in self.output.rglob("*")) if self.output.is_dir() else []

    def assert_complete(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([name for name in self.files() if "/" in name], sorted(TEXTS))
        self.assertEqual([name for name in self.files() if "/" not in name], ["raw", "tok"])
        lines = (self.output / "raw" / "train.de").read_bytes().count(b"\n")
        self.assertEqual(lines, 29000)

    def test_help_and_usage(self):
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("usage: prepare_multi30k.sh", result.stdout)
        self.assert_failed(run("--bogus"), "unknown option '--bogus'", "--help", code=2)
        self.assert_failed(run("--from"), "--from needs a value", code=2)
        self.assert_failed(run("--from", "a", "--url", "b"), "not both", code=2)

    def test_missing_folder_and_missing_file(self):
        self.assert_failed(run("--from", self.folder / "nowhere", "--output", self.output), "no such folder")
        self.put("raw.val.en", b"not the first one\n")
        self.assert_failed(run("--from", self.folder / "from", "--output", self.output),
                           "has no file for raw/train.en", "raw.train.en.gz")  # fmt: skip

    def test_wrong_text_and_damaged_file(self):
        self.put("raw.train.en", b"other words\n")
        self.assert_failed(run("--from", self.folder / "from", "--output", self.output),
                           "from/raw.train.en is not the expected text of raw/train.en",
                           hashlib.sha256(b"other words\n").hexdigest())  # fmt: skip
        self.put("raw.train.en", gzip.compress(b"cut off\n")[:-6])
        self.assert_failed(run("--from", self.folder / "from", "--output", self.output), "damaged gzip file")

    def test_no_network(self):
        result = run("--url", "http://127.0.0.1:9", "--output", self.output)
        self.assert_failed(result, "cannot download http://127.0.0.1:9/data/task1/raw/train.en.gz", "--from DIR")

    def test_downloads_without_curl_and_wget(self):
        result = run("--url", "http://127.0.0.1:9", "--output", self.output, path=self.tools("curl", "wget"))
        self.assert_failed(result, "Connection refused", "cannot download http://127.0.0.1:9/data/task1/raw/train.en.gz")

    def test_no_download_program(self):
        result = run("--url", "http://127.0.0.1:9", "--output", self.output, path=self.tools("curl", "wget", "python3"))
        self.assert_failed(result, "none of curl, wget and python3 is installed")

    @needs_corpus
    def test_from_flat_folder_then_again(self):
        self.assert_complete(run("--from", CORPUS, "--output", self.output))
        kept = run("--from", CORPUS, "--output", self.output)
        self.assertIn("0 files created, 18 already present and correct", kept.stderr)
        with open(self.output / "tok" / "val.de", "a", encoding="utf-8") as spoilt:
            spoilt.write("one line too many\n")
        mended = run("--from", CORPUS, "--output", self.output)
        self.assertIn("1 files created, 17 already present and correct", mended.stderr)

    @needs_corpus
    def test_from_upstream_layout(self):
        self.lay_out_upstream()
        self.assert_complete(run("--from", self.folder / "from", "--output", self.output))

    @needs_corpus
    def test_downloads_with_curl_or_wget(self):
        self.lay_out_upstream()
        address = self.serve()
        for left_out in ("wget", "curl"):
            other = "curl" if left_out == "wget" else "wget"
            with self.subTest(program=other):
                if not shutil.which(other):
                    self.skipTest(other + " is not installed")
                shutil.rmtree(self.output, ignore_errors=True)
                shutil.rmtree(self.folder / "tools", ignore_errors=True)
                result = run("--url", address, "--output", self.output, path=self.tools(left_out))
                self.assertIn("downloading " + address, result.stderr)
                self.assert_complete(result)


if __name__ == "__main__":
    unittest.main()

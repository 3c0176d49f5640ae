"""Tests of the shell scripts: in a copy of scripts/ whose path has a space, with stand-ins for the programs they call."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
    path.chmod(0o755)


class ShellScripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "soft align"
        self.programs = pathlib.Path(folder.name) / "programs"
        self.calls = pathlib.Path(folder.name) / "calls"
        shutil.copytree(SCRIPTS, self.root / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        self.stand_in("cmake", "exit 0\n")

    def stand_in(self, name, text):
        write_program(self.programs / name, f'echo "{name} $*" >>"{self.calls}"\n{text}')

    def called(self):
        return self.calls.read_text(encoding="utf-8") if self.calls.exists() else ""

    def run_command(self, command, **environment):
        variables = {**os.environ, "PATH": f"{self.programs}:{os.environ['PATH']}", **environment}
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.root, env=variables,
                              stdin=subprocess.DEVNULL)

    def run_script(self, name, *arguments, **environment):
        return self.run_command([self.root / "scripts" / name, *arguments], **environment)

    def run_bash(self, text, **environment):
        """Runs lines of bash after those that every script begins with."""
        head = "set -euo pipefail\n. scripts/lib/common.sh\n. scripts/lib/debian.sh\n"
        return self.run_command(["bash", "-c", head + text], **environment)


class EveryScript(ShellScripts):
    def test_has_a_help_text_and_refuses_unknown_options(self):
        scripts = sorted(path.name for path in SCRIPTS.glob("*.sh"))
        self.assertIn("quickstart.sh", scripts)
        for name in scripts:
            help_text = self.run_script(name, "--help")
            self.assertEqual(help_text.returncode, 0, name + help_text.stderr)
            self.assertIn(name, help_text.stdout)
            self.assertNotIn("shellcheck", help_text.stdout, name)

    @unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
    def test_passes_shellcheck(self):
        scripts = [*SCRIPTS.glob("*.sh"), *SCRIPTS.glob("lib/*.sh"), SCRIPTS.parent / ".ci" / "run"]
        checked = subprocess.run(["shellcheck", "--external-sources", *scripts], capture_output=True, text=True,
                                 check=False, cwd=SCRIPTS.parent)
        self.assertEqual(checked.returncode, 0, checked.stdout)


class Common(ShellScripts):
    def test_leaves_the_file_that_an_inherited_log_names(self):
        log = self.root / "precious"
        log.write_text("not ours\n", encoding="utf-8")
        done = self.run_bash('say hello; echo "$LOG"; env | grep "^LOG=" || true', LOG=str(log))
        self.assertEqual(log.read_text(encoding="utf-8"), "not ours\n")
        self.assertEqual(done.stdout.splitlines()[0], "hello")
        self.assertTrue(done.stdout.splitlines()[1].startswith(str(self.root / "build" / "logs")), done.stdout)
        self.assertEqual(len(done.stdout.splitlines()), 2, "LOG is passed on: " + done.stdout)

    def test_finds_its_folder_although_cdpath_is_set(self):
        (self.root / "elsewhere" / "scripts" / "lib").mkdir(parents=True)
        done = self.run_bash('echo "$ROOT"', CDPATH=str(self.root / "elsewhere"))
        self.assertEqual(done.stdout, f"{self.root}\n")

    def test_a_step_stops_where_its_function_fails(self):
        done = self.run_bash("work() { echo begun; false; echo went on; }\nstep Working work\necho next")
        self.assertEqual(done.returncode, 1)
        self.assertIn('error: "Working" failed', done.stderr)
        self.assertIn("begun", done.stderr)
        self.assertNotIn("went on", done.stderr)
        self.assertNotIn("next", done.stdout)

    def test_a_step_keeps_the_status_and_the_words_of_its_command(self):
        done = self.run_bash("step Working bash -c 'exit 7'")
        self.assertEqual(done.returncode, 7)
        done = self.run_bash('step Working printf "%s;" "a b" c\ngrep -c "a b;c;" "$LOG"')
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, "1"))

    def test_a_failure_in_a_command_substitution_ends_a_script(self):
        done = self.run_bash("broken() { false; echo went on; }\nvalue=$(broken)\necho $value")
        self.assertEqual((done.returncode, done.stdout), (1, ""))


class Setup(ShellScripts):
    """setup.sh on a Debian that lacks a package, run by somebody who is not root."""

    def setUp(self):
        super().setUp()
        self.stand_in("id", "echo 1000\n")
        self.stand_in("apt-get", "exit 0\n")
        self.stand_in("dpkg-query", 'for name; do :; done; [ "$name" = zlib1g-dev ] || echo "install ok installed"\n')

    def run_setup(self, *arguments):
        return self.run_script("setup.sh", *arguments, Torch_DIR="/nowhere", FETCHCONTENT_SOURCE_DIR_SENTENCEPIECE="/nowhere")

    def test_tells_what_to_install_where_sudo_is_refused(self):
        self.stand_in("sudo", "echo 'sorry, you may not run sudo' >&2\nexit 1\n")
        done = self.run_setup()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nor may you use sudo", done.stderr)
        self.assertIn("apt-get install --no-install-recommends zlib1g-dev", done.stderr)
        self.assertNotIn("apt-get", self.called())
        self.assertNotIn("failed", done.stdout + done.stderr)

    def test_asks_no_password_where_nobody_can_answer(self):
        self.stand_in("sudo", "[ \"$1\" != -n ] || exit 1\n")
        done = self.run_setup()
        self.assertIn("nor may you use sudo", done.stderr)
        self.assertEqual([line for line in self.called().splitlines() if line.startswith("sudo")], ["sudo -n true"])

    def test_installs_with_sudo_where_that_works(self):
        self.stand_in("sudo", '[ "$1" = -n ] && shift\nexec "$@"\n')
        done = self.run_setup()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(self.called(), r"apt-get .* install --no-install-recommends zlib1g-dev\n")


    def test_installs_packages_of_npm_once(self):
        self.stand_in("sudo", "exit 1\n")
        self.stand_in("npm", "exit 0\n")
        for _ in range(2):
            done = self.run_setup("--tests")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.called().count("npm ci --ignore-scripts"), 1)
        lock = self.root / "build" / "npm" / "package-lock.json"
        self.assertEqual(lock.read_bytes(), (SCRIPTS / "npm" / "package-lock.json").read_bytes())
        self.run_setup()
        self.assertEqual(self.called().count("npm ci"), 1)

    def test_goes_on_where_npm_fails(self):
        self.stand_in("sudo", "exit 1\n")
        self.stand_in("npm", "exit 1\n")
        done = self.run_setup("--tests")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("tests with Node.js are skipped", done.stderr)
        self.assertFalse((self.root / "build" / "npm" / "complete").exists())


class FetchSentencePiece(ShellScripts):
    FETCH = """
debian_source_lines() { printf "deb-src %s\n" newest older; }
fetch_sentencepiece_from() {
    rm -rf "$1" && mkdir -p "$1/sentencepiece-1/third_party" && echo "$2" >"$1/sentencepiece-1/VERSION.txt"
    [[ $2 == *"${WITHOUT_ABSEIL:-nowhere}" ]] || mkdir -p "$1/sentencepiece-1/third_party/absl/flags"
}
"""

    def run_fetch(self, text, **environment):
        temporary = self.root / "temporary"
        temporary.mkdir(exist_ok=True)
        done = self.run_bash(self.FETCH + text, TMPDIR=str(self.root.parent), **environment)
        self.assertEqual(list(self.root.parent.glob("softalign-source.*")), [], "a temporary folder is left")
        return done

    def test_puts_the_source_into_its_place(self):
        done = self.run_fetch('step Fetching fetch_sentencepiece "$ROOT/build/deps/sentencepiece"')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path.name for path in (self.root / "build" / "deps").iterdir()], ["sentencepiece"])
        version = self.root / "build" / "deps" / "sentencepiece" / "VERSION.txt"
        self.assertEqual(version.read_text(encoding="utf-8"), "deb-src newest\n")

    def test_passes_over_a_release_without_abseil(self):
        done = self.run_fetch('fetch_sentencepiece "$ROOT/build/deps/sentencepiece"', WITHOUT_ABSEIL="newest")
        self.assertEqual(done.returncode, 0, done.stderr)
        version = self.root / "build" / "deps" / "sentencepiece" / "VERSION.txt"
        self.assertEqual(version.read_text(encoding="utf-8"), "deb-src older\n")

    def test_fails_where_the_source_cannot_be_moved(self):
        moving = 'mv() { echo "mv: no space left" >&2; return 1; }\n'
        done = self.run_fetch(moving + 'fetch_sentencepiece "$ROOT/build/deps/sentencepiece" && echo done')
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("done", done.stdout)
        done = self.run_fetch(moving + 'step Fetching fetch_sentencepiece "$ROOT/build/deps/sentencepiece"')
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no space left", done.stderr)
        self.assertEqual(list((self.root / "build" / "deps").iterdir()), [])

    def test_leaves_it_to_cmake_where_no_archive_has_it(self):
        done = self.run_fetch('fetch_sentencepiece_from() { return 100; }\nfetch_sentencepiece "$ROOT/build/deps/sp"')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.root / "build" / "deps" / "sp").exists())


class Quickstart(ShellScripts):
    def setUp(self):
        super().setUp()
        write_program(self.root / "scripts" / "setup.sh", "exit 0\n")
        (self.root / "scripts" / "make_demo_corpus.py").write_text("", encoding="utf-8")
        corpus = self.root / "data" / "demo"
        corpus.mkdir(parents=True)
        for name in ("test.en", "test.de"):
            (corpus / name).write_text("a\nb\nc\nd\n", encoding="utf-8")

    def run_with(self, training, *arguments):
        model = self.root / "runs" / "demo"
        model.mkdir(parents=True)
        write_program(self.root / "build" / "release" / "bin" / "softalign",
                      f'echo "softalign $*" >>"{self.calls}"\n'
                      f'case $1 in\ntrain) {training} ;;\ntranslate) cp "data/demo/test.en" "runs/demo/test.de" ;;\n'
                      "evaluate) echo 'BLEU 100' ;;\nesac\n")
        return self.run_script("quickstart.sh", *arguments)

    def test_an_interrupted_training_goes_on_when_it_is_run_again(self):
        done = self.run_with("exit 75")
        self.assertEqual(done.returncode, 75)
        self.assertIn("run scripts/quickstart.sh again", done.stderr)
        self.assertNotIn("remove", done.stdout + done.stderr)

    def test_tells_the_status_of_a_training_that_failed(self):
        done = self.run_with("echo 'softalign: error: no room' >&2; exit 6")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no room", done.stderr)
        self.assertIn("training ended with status 6", done.stderr)

    def test_trains_translates_and_evaluates(self):
        done = self.run_with("exit 0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("BLEU 100", done.stdout)
        self.assertIn("train ", self.called())
        self.assertNotIn("--set", self.called())

    def test_trains_as_long_as_asked(self):
        self.assertEqual(self.run_with("exit 0", "--minutes", "0.5").returncode, 0)
        self.assertIn("--resume --set training.max_minutes=0.5\n", self.called())
        done = self.run_script("quickstart.sh", "--minutes", "soon")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--minutes needs a number", done.stderr)


class TestSh(ShellScripts):
    def setUp(self):
        super().setUp()
        write_program(self.root / "scripts" / "setup.sh", "exit 0\n")
        write_program(self.root / "scripts" / "lib" / "test_summary.sh", "echo 3 passed, 0 failed, 0 skipped\n")
        self.stand_in("ctest", "exit 0\n")
        for folder in ("base", "text"):
            (self.root / "tests" / folder).mkdir(parents=True)
            (self.root / "tests" / folder / "CMakeLists.txt").touch()

    def test_builds_and_runs_the_tests_of_some_folders(self):
        done = self.run_script("test.sh", "--only", "base,text", "--stop-on-failure")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1], "3 passed, 0 failed, 0 skipped")
        self.assertIn("--target src/all tests/base/all tests/text/all\n", self.called())
        self.assertRegex(self.called(), r"ctest .* -R \^\(base\|text\)\\\. --stop-on-failure\n")
        done = self.run_script("test.sh", "--only", "base,nothing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--only: there is no folder tests/nothing", done.stderr)

    def test_builds_and_runs_all_tests(self):
        self.run_script("test.sh")
        self.assertIn("--target all\n", self.called())
        self.assertNotIn(" -R", self.called())


class TestOn(ShellScripts):
    def setUp(self):
        super().setUp()
        self.stand_in("git", "echo 0123\n")

    def test_says_why_it_cannot_test(self):
        self.stand_in("id", "echo 1000\n")
        done = self.run_script("test_on.sh", "trixie", "--quick")
        self.assertEqual(done.returncode, 77)
        self.assertIn("not tested on trixie: this needs root", done.stderr)
        self.stand_in("id", "echo 0\n")
        self.stand_in("debootstrap", "exit 1\n")
        self.stand_in("unshare", "exit 1\n")
        done = self.run_script("test_on.sh", "trixie")
        self.assertEqual(done.returncode, 77)
        self.assertIn("mounting is not permitted", done.stderr)

    def run_as_root(self, *arguments):
        self.stand_in("id", "echo 0\n")
        self.stand_in("wget", "exit 0\n")
        temporary = self.root.parent / "temporary"
        temporary.mkdir(exist_ok=True)
        done = self.run_script("test_on.sh", *arguments, TMPDIR=str(temporary))
        self.assertEqual(list(temporary.iterdir()), [], "a system is left")
        return done

    def test_a_mirror_that_does_not_answer_is_told_and_the_folder_removed(self):
        self.stand_in("debootstrap", "exit 1\n")
        self.stand_in("unshare", "exit 0\n")
        self.stand_in("id", "echo 0\n")
        self.stand_in("wget", "exit 4\n")
        done = self.run_script("test_on.sh", "sid", "--mirror", "http://nowhere.invalid/debian")
        self.assertEqual(done.returncode, 77)
        self.assertIn("http://nowhere.invalid/debian does not answer", done.stderr)

    def test_ends_with_the_status_of_the_tests_and_leaves_nothing(self):
        # debootstrap makes a system of almost nothing; what would be mounted and entered is not.
        self.stand_in("debootstrap", 'mkdir -p "$3/root" "$3/etc/apt/apt.conf.d"\n')
        made = ("build/package/softalign_1.deb", "data/demo/test.en", "runs/demo/test.de")
        self.stand_in("git", 'if [ "$1" = clone ]; then for to; do :; done\n' +
                      "".join(f'mkdir -p "$to/{name[:name.rindex("/")]}" && echo 1 >"$to/{name}"\n' for name in made) +
                      "fi\necho 0123\n")
        for status in (0, 8):
            self.stand_in("unshare", f'[ "$5" != bash ] || exit {status}\n')
            done = self.run_as_root("trixie", "--quick")
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIs("The package has 1MB, that system with it" in done.stdout, status == 0, done.stdout)
            self.assertIn("trixie: all of it passed" if status == 0 else "failed with status 8", done.stdout + done.stderr)
        self.assertEqual(self.called().count("debootstrap "), 1, "the bare system is not kept")

    def test_wants_the_name_of_a_system(self):
        for arguments in ([], ["jammy"], ["trixie", "--cache"]):
            done = self.run_script("test_on.sh", *arguments)
            self.assertEqual(done.returncode, 1, arguments)


if __name__ == "__main__":
    unittest.main()

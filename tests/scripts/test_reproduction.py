"""Tests of scripts/reproduce_*.sh and of the helpers in scripts/reproduction/. The program is a stand-in that writes
down what it is asked and answers at once."""

import gzip
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
sys.path.insert(0, str(SCRIPTS / "reproduction"))

import ablation_table  # noqa: E402
import bleu_by_length  # noqa: E402
import draw_alignments  # noqa: E402
import plot_lengths  # noqa: E402
import prepare_lengths  # noqa: E402

# Translates by copying; its BLEU is 100 less the lines, so that a group can be told by its score.
PROGRAM = r'''#!/usr/bin/env python3
import json, os, shutil, signal, sys

if "WAIT" in os.environ:
    ending = [s for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP) if signal.getsignal(s) != signal.SIG_IGN]
    signal.pthread_sigmask(signal.SIG_BLOCK, ending)
command, options, sets = sys.argv[1], {}, []
arguments = sys.argv[2:]
with open(os.environ["CALLS"], "a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\n")
for i, argument in enumerate(arguments):
    if argument == "--set":
        sets.append(arguments[i + 1])
    elif argument.startswith("--"):
        options[argument[2:]] = arguments[i + 1] if i + 1 < len(arguments) else ""
read = lambda path: sys.stdin.buffer.read() if path == "-" else open(path, "rb").read()
lines = lambda path: read(path).split(b"\n")[:-1]
if command == "train":
    directory = dict(pair.split("=", 1) for pair in sets)["checkpoints.directory"]
    if os.environ.get("FAIL", "nothing") in directory:
        sys.exit(130)
    if "WAIT" in os.environ:
        with open(os.environ["CALLS"], "a") as calls:
            calls.write("ended by %d\n" % signal.sigwait(ending))
        sys.exit(130)
    os.makedirs(directory, exist_ok=True)
    open(directory + "/joint.spm", "w").close()
elif command == "vocab":
    if arguments[0] == "train":
        open(options["output"], "w").close()
    else:
        sys.stdout.write(open(options["input"]).read())
elif command == "translate":
    if "output" in options:
        shutil.copyfile(options["input"], options["output"])
    else:
        sys.stdout.buffer.write(read(options["input"]))
    if "alignments" in options:
        with open(options["alignments"], "w") as out:
            for index, line in enumerate(lines(options["input"])):
                pieces = line.decode().split() + ["</s>"]
                weights = [[0.8 if i == j else 0.2 / len(line.split()) for j in range(len(pieces))]
                           for i in range(len(pieces))]
                out.write(json.dumps({"index": index, "source": pieces, "target": pieces, "weights": weights}) + "\n")
elif command == "evaluate":
    count = len(lines(options.get("hypotheses") or options["source"]))
    if "output" in options:
        shutil.copyfile(options["source"], options["output"])
    print(json.dumps({"score": 100 - count, "verbose_score": "98.0/97.0 (BP = 1.000 ratio = 1.020 hyp_len = 3)"}))
'''


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = self.folder / "softalign"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)
        self.log = self.folder / "calls"

    def put(self, name, lines, packed=False):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(line + "\n" for line in lines).encode()
        path.write_bytes(gzip.compress(text) if packed else text)
        return path

    def start_script(self, name, *arguments, **variables):
        settings = {"SOFTALIGN": str(self.program), "CALLS": str(self.log), "LOG": str(self.folder / "log")}
        settings.update(variables)
        command = [shutil.which("bash"), str(SCRIPTS / name), *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=dict(os.environ, **settings), start_new_session=True)  # fmt: skip

    def run_script(self, name, *arguments, **variables):
        script = self.start_script(name, *arguments, **variables)
        output, errors = script.communicate()
        return subprocess.CompletedProcess(script.args, script.returncode, output, errors)

    def calls(self, command):
        calls = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.write_text("")
        return [call for call in calls if call.startswith(command)]


def words(count):
    return " ".join("w%d" % i for i in range(count))


class Lengths(InFolder):
    def test_groups(self):
        labels = [bleu_by_length.label(n, 10, 60) for n in (1, 10, 11, 20, 51, 60, 61, 200)]
        self.assertEqual(labels, ["1-10", "1-10", "11-20", "11-20", "51-60", "51-60", "61-", "61-"])
        self.assertEqual([bleu_by_length.label(n, 4, 10) for n in (8, 9, 10, 11)], ["5-8", "9-10", "9-10", "11-"])

    def test_every_sentence_is_in_one_group_and_in_all(self):
        buckets = bleu_by_length.make_buckets([3, 70, 12, 0, 9, 100], 10, 60)
        self.assertEqual([(b.label, b.lines, b.words) for b in buckets],
                         [("1-10", [0, 4], 12), ("11-20", [2], 12), ("61-", [1, 5], 170),
                          ("all", [0, 1, 2, 4, 5], 194)])  # fmt: skip

    def test_slope(self):
        line = [("1-10", 3, 5.0, 30.0), ("11-20", 9, 15.0, 28.0), ("21-30", 2, 25.0, 26.0), ("all", 14, 13.0, 1.0)]
        self.assertAlmostEqual(plot_lengths.slope(line), -2.0)
        heavy = [("1-10", 1, 5.0, 0.0), ("11-20", 1000, 15.0, 10.0), ("21-30", 1000, 25.0, 10.0)]
        self.assertAlmostEqual(plot_lengths.slope(heavy), 0.0, places=1)
        self.assertIsNone(plot_lengths.slope(line[:1] + line[3:]))

    def test_limits_hold_on_both_sides(self):
        pairs = [(b"a b", b"c"), (b"a", b"b c d"), (b"", b"b"), (b"a b", b"c d")]
        self.assertEqual(prepare_lengths.within(pairs, 2), [pairs[0], pairs[3]])

    def test_uneven_corpus(self):
        for name in ("train.en", "train.fr", "dev.en", "dev.fr", "test.en"):
            self.put("from/" + name, ["a", "b"])
        self.put("from/test.fr", ["a"])
        result = self.run_script("reproduce_figure2.sh", "--from", self.folder / "from", "--data", self.folder / "data",
                                 "--output", self.folder / "runs")  # fmt: skip
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("test.en has 2 lines, test.fr has 1", result.stderr)


class Figure2(InFolder):
    def setUp(self):
        super().setUp()
        lengths = {"train": [5, 25, 40, 45, 80], "dev": [4, 5], "test": [5, 6, 15, 65]}
        for name, counts in lengths.items():
            for language in ("en", "fr"):
                self.put("from/%s.%s.gz" % (name, language), map(words, counts), packed=True)

    def reproduce(self, *arguments, **variables):
        return self.run_script("reproduce_figure2.sh", "--from", self.folder / "from", "--data", self.folder / "data",
                               "--output", self.folder / "runs", *arguments, **variables)  # fmt: skip

    def test_from_corpus_to_table_then_nothing_is_done_again(self):
        result = self.reproduce("--minutes", 7, "--set", "model.embedding_size=8")
        self.assertEqual(result.returncode, 0, result.stderr)
        train = self.calls("train")
        self.assertEqual(len(train), 4)
        for call in train:
            for part in ("--resume", "training.max_minutes=7", "model.embedding_size=8", "bpe4000.spm"):
                self.assertIn(part, call)
        self.assertEqual((self.folder / "data" / "train30.en").read_text().count("\n"), 2)
        self.assertEqual((self.folder / "data" / "train50.en").read_text().count("\n"), 4)
        table = (self.folder / "runs" / "bleu.tsv").read_text().splitlines()
        self.assertEqual(table[0].split("\t"), list(bleu_by_length.COLUMNS))
        self.assertEqual(table[1], "rnnenc30\t1-10\t2\t5.5\t98.00")
        self.assertEqual(table[-1], "rnnsearch50\tall\t4\t22.8\t96.00")
        self.assertEqual(len(table), 1 + 4 * 4)
        self.assertIn("<polyline", (self.folder / "runs" / "bleu.svg").read_text())
        self.assertIn("BLEU by 10 words", result.stdout)

        again = self.reproduce("--minutes", 7, "--set", "model.embedding_size=8")
        self.assertEqual(again.returncode, 0, again.stderr)
        calls = self.log.read_text()
        self.assertNotIn("train", [call.split()[0] for call in calls.splitlines()])
        self.assertNotIn("translate --", calls)

    def test_other_settings_are_not_mixed(self):
        self.assertEqual(self.reproduce().returncode, 0)
        other = self.reproduce("--minutes", 5)
        self.assertNotEqual(other.returncode, 0)
        self.assertIn("begun with other settings", other.stderr)
        self.assertIn("asked now: training.max_minutes=5", " ".join(other.stderr.split()))
        self.assertIn("begun with: training.max_updates=5000", " ".join(other.stderr.split()))

    def test_goes_on_after_an_interruption(self):
        first = self.reproduce(FAIL="rnnsearch30")
        self.assertNotEqual(first.returncode, 0)
        self.assertIn("status 130; run the same command again to continue", first.stderr)
        self.assertEqual(len(self.calls("train")), 2)
        self.assertEqual(self.reproduce().returncode, 0)
        self.assertEqual(len(self.calls("train")), 3)

    def test_figure_3_of_the_model(self):
        self.assertEqual(self.reproduce().returncode, 0)
        result = self.run_script("reproduce_figure3.sh", "--model", self.folder / "runs" / "rnnsearch50", "--input",
                                 self.folder / "data" / "test.en", "--lines", "3,1", "--output",
                                 self.folder / "figure3")  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.folder / "figure3" / "source.txt").read_text(), words(15) + "\n" + words(5) + "\n")
        self.assertIn("--alignment-format soft", self.calls("translate")[-1])
        picture = (self.folder / "figure3" / "sentence2.svg").read_text()
        self.assertEqual(picture.count('fill="#cccccc"/>'), 6)  # 5 words and the end, 0.8 each
        self.assertEqual(picture.count('fill="#0a0a0a"/>'), 6 * 5)  # 0.04
        self.assertIn("  w1 | #    | w1\n", result.stdout)
        self.assertIn("</s> |     #| </s>\n", result.stdout)


class MeasureSearch(InFolder):
    def test_a_line_a_setting(self):
        text = self.put("text", ["a", "b", "c"])
        command = ("--model", "m", "--source", text, "--references", text, "--tokenize", "none", "--only", "patience")
        result = self.run_script("measure_search.sh", *command)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0], "search\tBLEU\tlength")
        self.assertIn("--patience 0\t97.00\t1.020", lines)
        calls = self.calls("evaluate")
        self.assertEqual(len(calls), len(lines) - 1)
        self.assertIn("--tokenize none", calls[0])
        self.assertIn("--patience 0", calls[0])
        table = self.folder / "table.tsv"
        self.assertEqual(self.run_script("measure_search.sh", *command, "--output", table).returncode, 0)
        self.assertEqual(table.read_text(), result.stdout)

    def test_mistakes(self):
        self.assertIn("are required", self.run_script("measure_search.sh", "--model", "m").stderr)
        self.assertIn("unknown argument --beam", self.run_script("measure_search.sh", "--beam").stderr)


class OfMulti30k(InFolder):
    script = ""
    lines = {"train": 4, "val": 3, "test_2016_flickr": 5}

    def setUp(self):
        super().setUp()
        for name, count in self.lines.items():
            for language in ("en", "de"):
                self.put("data/%s.%s" % (name, language), [words(3)] * count)

    def reproduce(self, *arguments, **variables):
        return self.run_script(self.script, "--data", self.folder / "data", "--output", self.folder / "runs",
                               *arguments, **variables)  # fmt: skip


class Luong(OfMulti30k):
    script = "reproduce_luong.sh"
    lines = {"train": 4, "val": 4, "test_2016_flickr": 4}

    def test_only_some_then_more_seeds(self):
        result = self.reproduce("--only", "dot,local_p_general", "--seeds", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        train = self.calls("train")
        self.assertEqual(len(train), 2)
        self.assertIn("model.attention.type=local_p", train[1])
        self.assertIn("training.max_epochs=5", train[1])
        self.assertIn("| dot | 96.00 | 96.00 |", result.stdout)
        self.assertIn("| general | not run |  |", result.stdout)
        self.assertEqual(self.reproduce("--only", "dot", "--seeds", "1,2").returncode, 0)
        self.assertEqual([call.count("training.seed=2") for call in self.calls("train")], [1])
        table = (self.folder / "runs" / "table.tsv").read_text().splitlines()
        self.assertIn("dot\t96.00\t0.00\t96.00\t96.00", table)
        self.assertIn("local_p_general\t96.00\t\t96.00\t", table)

    def test_minutes_instead_of_epochs(self):
        self.assertEqual(self.reproduce("--only", "dot", "--minutes", 3).returncode, 0)
        call = self.calls("train")[0]
        self.assertIn("training.max_epochs=0", call)
        self.assertIn("training.max_minutes=3", call)

    def test_every_variant_sets_keys_that_exist(self):
        keys = {line.split("`")[1] for line in (ROOT / "docs" / "configuration.md").read_text().splitlines()
                if line.startswith("| `")}  # fmt: skip
        variants = self.reproduce("--list").stdout.splitlines()
        self.assertGreater(len(variants), 10)
        for variant in variants:
            for setting in variant.split()[1:]:
                self.assertIn(setting.split("=")[0], keys, variant)

    def test_mistakes(self):
        for arguments, message in ((["--only", "dots"], "there is no variant 'dots'"),
                                   (["--seeds", "one"], "'one' is not a whole number"),
                                   (["--epochs"], "--epochs needs a value"),
                                   (["--bogus"], "unknown argument --bogus"),
                                   (["--data", "/nowhere"], "scripts/prepare_multi30k.sh")):  # fmt: skip
            result = self.reproduce(*arguments)
            self.assertEqual(result.returncode, 1, result.stdout)
            self.assertIn(message, result.stderr)
        self.assertFalse((self.folder / "runs").exists())


class Distillation(OfMulti30k):
    script = "distill_multi30k.sh"

    def test_each_model_learns_from_the_translations_of_those_before(self):
        runs = "%s/runs/" % self.folder
        first = self.reproduce("--seeds", "1,2", FAIL="transformer")
        self.assertIn("run the same command again to continue", first.stderr)
        train = self.calls("train")
        self.assertEqual([call.count("data.train_source=[") for call in train], [0, 1])
        self.assertIn(",%srecurrent.de]" % runs, train[1])
        self.assertIn("vocabulary.target_model=%srecurrent/target.spm" % runs, train[1])
        result = self.reproduce("--seeds", "1,2")
        self.assertEqual(result.returncode, 0, result.stderr)
        calls = self.log.read_text().splitlines()
        train = [call for call in calls if call.startswith("train ")]
        self.assertEqual(len(train), 5)
        for seed in (1, 2):
            recurrent, transformer = train[2 * seed - 1], train[2 * seed]
            self.assertIn("training.start_from=%srecurrent" % runs, recurrent)
            self.assertIn(",%sboth.de,%stransformer.de]" % (runs, runs), recurrent)
            self.assertIn("training.start_from=%stransformer" % runs, transformer)
            self.assertIn(",%sboth.de,%srecurrent.de]" % (runs, runs), transformer)
            for call in recurrent, transformer:
                self.assertIn("training.seed=%d" % seed, call)
        translate = [call for call in calls if call.startswith("translate ") and "train.en" in call]
        self.assertEqual([call.count("--model") for call in translate], [1, 2])
        self.assertRegex(result.stdout, r"student\.seed2 on test_2016_flickr: .*95")
        self.assertRegex(result.stdout, r"student\.seed2 transformer_student\.seed2 on val: .*97")
        self.log.write_text("")
        self.assertEqual(self.reproduce("--seeds", "1,2", "--output", runs).returncode, 0)
        self.assertEqual(self.calls("train"), [])

    def test_a_model_trained_again_translates_again(self):
        runs = self.folder / "runs"
        self.assertEqual(self.reproduce().returncode, 0)
        self.log.write_text("")
        for path in runs.glob("transformer*"):
            shutil.rmtree(path) if path.is_dir() else path.suffix != ".de" and path.unlink()
        for path in runs.glob("*.de"):
            os.utime(path, (0, 0))
        os.utime(runs / "recurrent.trained", (0, 0))
        self.assertEqual(self.reproduce().returncode, 0)
        translate = [call for call in self.calls("translate") if "train.en" in call]
        self.assertEqual(len(translate), 2)
        self.assertIn("/transformer.de.new", translate[0])
        self.assertIn("/both.de.new", translate[1])

    def test_a_model_trained_again_is_not_mixed_with_what_came_of_the_first(self):
        runs = self.folder / "a=b"
        self.assertEqual(self.reproduce("--output", runs).returncode, 0)
        shutil.rmtree(runs / "transformer")
        (runs / "transformer.settings").unlink()
        (runs / "transformer.trained").unlink()
        again = self.reproduce("--output", runs)
        self.assertEqual(again.returncode, 1)
        self.assertIn("transformer_student.seed1 was begun with other settings", again.stderr)
        self.assertRegex(again.stderr, r"asked now:  training\.start_from=\S*/transformer \(trained until ")

    def test_raw_text(self):
        self.assertEqual(self.reproduce("--raw").returncode, 0)
        train = self.calls("train")
        self.assertEqual(len(train), 4)
        self.assertIn("configs/multi30k_raw_en_de.yaml", train[0])
        for call in train:
            self.assertIn("vocabulary.normalization=nmt_nfkc", call)
            self.assertIn("validation.tokenize=13a", call)
        for call in self.calls("evaluate"):
            self.assertIn("--tokenize 13a", call)

    def test_mistakes(self):
        for arguments, message in ((["--seeds", "one"], "'one' is not a whole number"),
                                   (["--bogus"], "unknown argument --bogus"),
                                   (["--output", "/a,b"], "must not have commas, brackets or braces"),
                                   (["--data", "/nowhere"], "scripts/prepare_multi30k.sh")):  # fmt: skip
            result = self.reproduce(*arguments)
            self.assertEqual(result.returncode, 1, result.stdout)
            self.assertIn(message, result.stderr)
        self.assertFalse((self.folder / "runs").exists())


class Ablation(OfMulti30k):
    script = "ablation.sh"

    def test_each_name_and_seed_once(self):
        result = self.reproduce("--only", "base,base", "--seeds", "1,1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(self.calls("train")), 1)
        self.assertIn("| base | 1 | 97.00 | 1.020 |", result.stdout)

    def test_names_are_no_patterns(self):
        for names, message in (("all*", "there is no technique 'all*'"), (",", "--only must name at least one")):
            result = self.reproduce("--only", names)
            self.assertEqual(result.returncode, 1, result.stdout)
            self.assertIn(message, result.stderr)
        self.assertFalse((self.folder / "runs").exists())

    def test_table_then_nothing_is_done_again(self):
        result = self.reproduce("--only", "base,layer_norm", "--seeds", "1,2", "--epochs", "3")
        self.assertEqual(result.returncode, 0, result.stderr)
        train = self.calls("train")
        self.assertEqual(len(train), 4)
        self.assertNotIn("layer_norm", train[0])
        self.assertIn("model.decoder.lexical=false", train[0])
        self.assertIn("model.layer_norm=true", train[1])
        for call in train:
            self.assertIn("training.max_epochs=3", call)
            self.assertNotIn("runtime.workers", call)
        self.assertIn("| layer_norm | 2 | 97.00 ± 0.00 | 1.020 | 95.00 ± 0.00 | 1.020 |", result.stdout)
        self.assertIn("| lexical | 0 | not run |  | not run |  |", result.stdout)
        table = (self.folder / "runs" / "table.tsv").read_text().splitlines()
        self.assertIn("base\t2\t97.00\t0.00\t1.020\t95.00\t0.00\t1.020", table)
        self.assertEqual(self.reproduce("--only", "base,layer_norm", "--epochs", "3").returncode, 0)
        self.assertEqual(self.log.read_text(), "")

    def test_several_at_once_with_one_worker_each(self):
        result = self.reproduce("--only", "base,lexical,no_r_drop", "--seeds", "1", "--jobs", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        train = self.calls("train")
        self.assertEqual(len(train), 3)
        for call in train:
            self.assertIn("runtime.workers=1", call)
            self.assertNotIn("training.max_epochs", call)
            last = call.rsplit("model.decoder.lexical=", 1)[1].split()[0]
            self.assertEqual(last == "true", "lexical.seed1" in call, call)
        self.assertIn("| no_r_drop | 1 | 97.00 | 1.020 | 95.00 | 1.020 |", result.stdout)
        self.assertIn("Scoring lexical, seed 1, on val", (self.folder / "runs" / "lexical.seed1.log").read_text())

    def test_fine_tuning_starts_from_the_model_of_its_seed_when_that_is_done(self):
        for jobs in "1", "3":
            shutil.rmtree(self.folder / "runs", ignore_errors=True)
            result = self.reproduce("--only", "minimum_risk,lexical", "--seeds", "2", "--jobs", jobs)
            self.assertEqual(result.returncode, 0, result.stderr)
            train = self.calls("train")
            self.assertEqual(len(train), 3)
            start = "training.start_from=%s/runs/base.seed2" % self.folder
            self.assertEqual([start in call for call in train], [False, False, True])
            self.assertIn("training.minimum_risk.samples=", train[2])

    def test_goes_on_after_a_failure(self):
        for jobs in "1", "2":
            shutil.rmtree(self.folder / "runs", ignore_errors=True)
            first = self.reproduce("--only", "base,lexical,no_r_drop", "--seeds", "1", "--jobs", jobs, FAIL="lexical")
            self.assertNotEqual(first.returncode, 0)
            self.assertIn("un the same command again to continue", " ".join(first.stderr.lower().split()))
            self.calls("train")
            again = self.reproduce("--only", "base,lexical,no_r_drop", "--seeds", "1", "--jobs", jobs)
            self.assertEqual(again.returncode, 0, again.stderr)
            train = self.calls("train")
            self.assertTrue(any("lexical.seed1" in call for call in train))
            self.assertFalse(any("base.seed1" in call for call in train))

    def test_continues_with_another_number_of_jobs(self):
        for jobs in "2", "1", "3":
            self.assertEqual(self.reproduce("--only", "base", "--seeds", "1", "--jobs", jobs).returncode, 0)
        self.assertEqual(len(self.calls("train")), 1)

    def test_a_signal_ends_all_runs(self):
        for sent, status in (signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129):
            for jobs, send in (1, os.kill), (1, os.killpg), (2, os.kill), (2, os.killpg):
                shutil.rmtree(self.folder / "runs", ignore_errors=True)
                self.log.write_text("")
                script = self.start_script(self.script, "--data", self.folder / "data", "--output", self.folder / "runs",
                                           "--only", "base,lexical", "--seeds", "1", "--jobs", jobs, WAIT="1")  # fmt: skip
                while len(self.log.read_text().splitlines()) < jobs:
                    self.assertIsNone(script.poll())
                    time.sleep(0.01)
                send(script.pid, sent)
                _, errors = script.communicate()
                self.assertEqual(script.returncode, status, errors)
                ended = [int(line.split()[-1]) for line in self.log.read_text().splitlines() if line.startswith("ended")]
                self.assertEqual(len(ended), jobs)
                self.assertLessEqual(set(ended), {signal.SIGTERM, signal.SIGINT})  # on which training saves

    def test_other_settings_are_not_mixed(self):
        self.assertEqual(self.reproduce("--only", "base", "--seeds", "1").returncode, 0)
        other = self.reproduce("--only", "base", "--seeds", "1", "--epochs", "2")
        self.assertIn("begun with other settings", other.stderr)

    def test_what_is_removed_as_told_is_trained_and_scored_again(self):
        run = self.folder / "runs" / "base.seed1"
        self.assertEqual(self.reproduce("--only", "base", "--seeds", "1").returncode, 0)
        shutil.rmtree(run)
        run.with_suffix(".seed1.settings").unlink()
        self.log.write_text("")
        self.assertEqual(self.reproduce("--only", "base", "--seeds", "1", "--epochs", "2").returncode, 0)
        calls = [call.split()[0] for call in self.log.read_text().splitlines()]
        self.assertEqual(calls, ["train", "evaluate", "evaluate"])

    def test_another_configuration_of_the_same_name_is_not_mixed(self):
        config = self.folder / "own.yaml"
        config.write_text((ROOT / "configs" / "multi30k_en_de.yaml").read_text())
        self.assertEqual(self.reproduce("--config", config, "--only", "base", "--seeds", "1").returncode, 0)
        config.write_text(config.read_text() + "# more\n")
        other = self.reproduce("--config", config, "--only", "base", "--seeds", "1")
        self.assertIn("begun with other settings", other.stderr)

    def test_a_configuration_that_is_not_there_leaves_no_settings(self):
        config = self.folder / "own.yaml"
        missing = self.reproduce("--config", config, "--only", "base", "--seeds", "1")
        self.assertEqual(missing.returncode, 1, missing.stdout)
        self.assertIn("own.yaml is not there", missing.stderr)
        config.write_text((ROOT / "configs" / "multi30k_en_de.yaml").read_text())
        self.assertEqual(self.reproduce("--config", config, "--only", "base", "--seeds", "1").returncode, 0)

    def test_every_technique_sets_keys_that_exist(self):
        keys = {line.split("`")[1] for line in (ROOT / "docs" / "configuration.md").read_text().splitlines()
                if line.startswith("| `")}  # fmt: skip
        techniques = self.reproduce("--list").stdout.splitlines()
        self.assertEqual(techniques[0], "base")
        names = [technique.split()[0] for technique in techniques]
        for technique in techniques:
            for setting in technique.split()[1:]:
                if setting.startswith("@"):
                    self.assertIn(setting[1:], names[: names.index(technique.split()[0])])
                else:
                    self.assertIn(setting.split("=")[0], keys, technique)

    def test_mistakes(self):
        for arguments, message in ((["--only", "lex"], "there is no technique 'lex'"),
                                   (["--jobs", "0"], "'0' is not a whole number"),
                                   (["--seeds"], "--seeds needs a value"),
                                   (["--bogus"], "unknown argument --bogus"),
                                   (["--data", "/nowhere"], "scripts/prepare_multi30k.sh")):  # fmt: skip
            result = self.reproduce(*arguments)
            self.assertEqual(result.returncode, 1, result.stdout)
            self.assertIn(message, result.stderr)
        self.assertFalse((self.folder / "runs").exists())


class Tables(InFolder):
    def test_mean_and_spread(self):
        for seed, score in ((1, 30.0), (2, 32.0)):
            self.put("runs/dot.seed%d.json" % seed, [json.dumps({"score": score})])
        scores = ablation_table.read_scores(str(self.folder / "runs"), "dot", ["1", "2", "3"])
        self.assertEqual(scores, [30.0, 32.0, None])
        self.assertEqual(ablation_table.summary(scores), ("31.00", "1.41"))
        self.assertEqual(ablation_table.summary([30.0, None]), ("30.00", ""))
        self.assertEqual(ablation_table.summary([None]), ("", ""))

    def test_shades_and_greys(self):
        weights = [[0.0, 0.04, 0.96], [0.05, 0.25, 0.7], [1.0, 0.0, 0.0]]
        grid = draw_alignments.text_grid(["a", "b", "</s>"], ["x", "yz", "</s>"], weights).splitlines()
        self.assertEqual(grid, ["      a b </s>", "   x |  #| </s>", "  yz |.:+| </s>", "</s> |#  | a"])
        picture = draw_alignments.svg(["a", "b", "<"], ["x", "yz", "</s>"], weights)
        self.assertIn("&lt;", picture)
        for grey, count in (("000000", 3), ("0a0a0a", 1), ("ffffff", 1)):
            self.assertEqual(picture.count('fill="#%s"' % grey), count)

    def test_what_is_no_alignment(self):
        good = {"source": ["a", "</s>"], "target": ["</s>"], "weights": [[0.5, 0.5]]}
        self.assertEqual(draw_alignments.parse_alignment(json.dumps(good)),
                         (good["source"], good["target"], good["weights"]))  # fmt: skip
        bad = ["0-0 1-1", "[]", "{}"]
        bad += [json.dumps(dict(good, weights=weights)) for weights in ([], [[1.0]], [["a", "b"]], [[-1, 2]], None)]
        for line in bad:
            with self.assertRaises(draw_alignments.AlignmentError):
                draw_alignments.parse_alignment(line)
        path = self.put("bad.jsonl", [json.dumps(good), "{}"])
        result = subprocess.run([sys.executable, str(SCRIPTS / "reproduction" / "draw_alignments.py"), "--alignments",
                                 str(path)], capture_output=True, text=True, check=False)  # fmt: skip
        self.assertEqual(result.returncode, 1)
        self.assertIn("bad.jsonl:2: no soft alignment: '{}'", result.stderr)


class Help(InFolder):
    def test_help_says_the_options(self):
        for name, option in (("figure2", "--from DIR"), ("figure3", "--lines LIST"), ("luong", "--seeds LIST")):
            result = self.run_script("reproduce_%s.sh" % name, "--help")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(option, result.stdout)
            self.assertIn("SOFTALIGN=PATH", result.stdout)
            self.assertNotIn("shellcheck", result.stdout)

    def test_no_program(self):
        result = self.run_script("reproduce_figure2.sh", "--from", self.folder, SOFTALIGN="/nowhere/softalign")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no program at /nowhere/softalign", result.stderr)


if __name__ == "__main__":
    unittest.main()

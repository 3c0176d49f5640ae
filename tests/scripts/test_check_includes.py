"""Tests of scripts/check_includes.py on small trees made for the purpose."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_includes.py"


def run_on(files):
    """The exit status and the output for a tree with these files (path under src -> text)."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / "src" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout


class CheckIncludes(unittest.TestCase):
    def test_accepts_the_drawn_direction(self):
        status, output = run_on({
            "cli/main.cpp": '#include <CLI/CLI.hpp>\n#include "train/trainer.h"\n',
            "model/encoder.cpp": '#include <torch/ordered_dict.h>\n#include "base/error.h"\n#include "model/encoder.h"\n',
            "text/tokenizer.cpp": "#include <sentencepiece_processor.h>\n",
        })
        self.assertEqual((status, output), (0, "all includes are right\n"))

    def test_names_file_line_and_folders_of_an_upward_include(self):
        status, output = run_on({"base/error.cpp": '#include <string>\n#include "model/encoder.h"\n'})
        self.assertEqual(status, 1)
        self.assertIn('src/base/error.cpp:2: "model/encoder.h": base/ may not include model/', output)

    def test_keeps_tensors_out_of_metrics_text_and_data(self):
        for folder in ("metrics", "text", "data", "kernels"):
            status, output = run_on({f"{folder}/a.h": "#include <ATen/ATen.h>\n"})
            self.assertEqual(status, 1)
            self.assertIn(f"<ATen/ATen.h>: {folder}/ may not use tensors", output)

    def test_keeps_yaml_files_and_tokenizers_out_of_the_model(self):
        for header, kind in (("yaml-cpp/yaml.h", "yaml"), ("fstream", "files"),
                             ("sentencepiece_processor.h", "tokenizer")):
            status, output = run_on({"model/a.cpp": f"#include <{header}>\n"})
            self.assertEqual(status, 1)
            self.assertIn(f"model/ may not use {kind}", output)
        self.assertIn("model/ knows no YAML", run_on({"model/a.cpp": '#include "config/load.h"\n'})[1])
        self.assertIn("model/ may not include text/", run_on({"model/a.cpp": '#include "text/tokenizer.h"\n'})[1])

    def test_refuses_state_of_a_thread(self):
        status, output = run_on({"kernels/a.cpp": "alignas(64) thread_local float scratch[48];\n"})
        self.assertEqual(status, 1)
        self.assertIn("src/kernels/a.cpp:1: thread_local", output)

    def test_refuses_two_classes_of_one_name(self):
        one = "namespace softalign {\nnamespace {\nstruct Own {\n};\n}  // namespace\nclass Log {\n};\n}  // namespace softalign\n"
        status, output = run_on({"text/a.h": one, "text/b.h": one.replace("class Log", "struct Log")})
        self.assertEqual(status, 1)
        self.assertIn("text/b.h:1: Log is defined in ", output)
        self.assertNotIn("Own", output)
        self.assertEqual(run_on({"text/a.h": one, "text/b.h": one.replace("Log {", "Other : Log {")})[0], 0)

    def test_keeps_questions_for_devices_and_types_at_the_bottom(self):
        text = "bool a(const at::Tensor& x) {\n    return x.device().is_cpu();\n}\n"
        for folder in ("ops", "platform"):
            self.assertEqual(run_on({f"{folder}/a.cpp": text})[0], 0)
        for question in ("device().is_cpu()", "scalar_type()"):
            status, output = run_on({"model/a.cpp": text.replace("device().is_cpu()", question)})
            self.assertEqual(status, 1)
            self.assertIn("src/model/a.cpp:2: ", output)
            self.assertIn("model/ may not ask for a tensor's device or type", output)

    def test_wants_paths_relative_to_src_and_known_folders(self):
        self.assertIn("is not a path relative to src/", run_on({"model/a.cpp": '#include "encoder.h"\n'})[1])
        self.assertIn("src/extra is not in the table", run_on({"extra/a.cpp": "\n"})[1])

    def test_names_a_standard_header_that_is_used_but_not_included(self):
        status, output = run_on({"base/a.h": "#include <string>\n\nstd::string a(std::uint32_t count);\n"})
        self.assertEqual(status, 1)
        self.assertIn("src/base/a.h:3: std::uint32_t: add #include <cstdint>", output)
        self.assertIn("1 fault(s)", output)

    def test_names_headers_of_posix_names_and_macros(self):
        output = run_on({"base/a.cpp": "bool a() {\n    return ::close(3) == 0 || errno == EINTR;\n}\n"})[1]
        self.assertIn("a.cpp:2: ::close: add #include <unistd.h>", output)
        self.assertIn("a.cpp:2: errno: add #include <cerrno>", output)

    def test_what_another_of_our_headers_includes_does_not_count(self):
        output = run_on({"base/a.h": "#include <string>\n", "base/a.cpp": '#include "base/a.h"\nstd::string b;\n'})[1]
        self.assertIn("a.cpp:2: std::string: add #include <string>", output)

    def test_comments_strings_and_characters_use_no_names(self):
        text = ("// std::vector\n/* std::map\n   std::set */\nconst char* a = \"std::deque \\\" std::list\";\n"
                "const char* b = R\"(std::array)\"; char c = '\"'; int d = 1'000; char e = '\\'';\n")
        self.assertEqual(run_on({"base/a.cpp": text}), (0, "all includes are right\n"))
        self.assertIn(":6: std::tuple", run_on({"base/a.cpp": text + "std::tuple<int> f;\n"})[1])

    def test_a_name_that_the_table_lacks_is_a_fault(self):
        self.assertIn("std::flat_map: add the name to scripts/lib/standard_headers.py",
                      run_on({"base/a.cpp": "std::flat_map<int, int> a;\n"})[1])

    def test_any_of_several_headers_will_do(self):
        for header in ("cstddef", "cstring"):
            self.assertEqual(run_on({"base/a.cpp": f"#include <{header}>\nstd::size_t a;\n"})[0], 0)


if __name__ == "__main__":
    unittest.main()

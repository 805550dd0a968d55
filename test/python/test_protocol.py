from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

from support import RESNET50, ToolkitCase, resnet_flags, toolkit, toolkit_environment, write_toy

from toolkit.report import scale_text


class ProtocolTest(ToolkitCase):
    def test_unknown_verbs_flags_and_arguments_are_named(self) -> None:
        self.assertIn("no verb", self.refused("input-invalid", "fly")["message"])
        self.assertIn("--colour", self.refused("input-invalid", "versions", "--colour", "red")["message"])
        error = self.refused(
            "input-invalid",
            "make-dataset",
            "--model-dir",
            RESNET50,
            "--arg=widht=4",
            "--output",
            self.dir / "d",
        )
        self.assertIn("widht", error["message"])
        self.assertIn("width", error["remedy"])

    def test_differences_are_written_as_the_workbench_writes_them(self) -> None:
        texts = json.loads((Path(__file__).parents[1] / "fixtures" / "scale-texts.json").read_text("utf-8"))
        self.assertEqual([[value, scale_text(value)] for value, _ in texts], texts)

    def ahead(self, said: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "toolkit", "--ahead", "numpy", "no_such_package"]
        return subprocess.run(
            command, input=said, env=toolkit_environment(), capture_output=True, text=True, check=False
        )

    def test_one_started_ahead_takes_its_verb_from_stdin(self) -> None:
        ended = self.ahead(json.dumps(["versions"]) + "\n")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        [line] = ended.stdout.splitlines()
        self.assertEqual(toolkit("versions").last, json.loads(line))
        ended = self.ahead(json.dumps(["versions", "--colour", "red"]) + "\n")
        self.assertEqual((ended.returncode, json.loads(ended.stdout)["code"]), (1, "input-invalid"))

    def test_one_started_ahead_ends_when_it_is_not_asked(self) -> None:
        ended = self.ahead("")
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "", ""))

    def test_it_ends_with_the_workbench_that_was_killed(self) -> None:
        # In the workbench's place: starts one ahead, whose stdin somebody else keeps open.
        program = (
            "import os, subprocess, sys\n"
            "mark = f'{os.getpid()}.1.1'\n"
            "ahead = [sys.executable, '-m', 'toolkit', '--ahead', 'json']\n"
            "child = subprocess.Popen(ahead, env={**os.environ, 'TRITON_WORKBENCH_CHILD_OF': mark})\n"
            "print(child.pid, flush=True)\n"
            "child.wait()\n"
        )
        read, write = os.pipe()
        with subprocess.Popen(
            [sys.executable, "-c", program],
            env=toolkit_environment(),
            stdin=read,
            stdout=subprocess.PIPE,
            text=True,
        ) as workbench:
            assert workbench.stdout is not None
            child = int(workbench.stdout.readline())
            os.kill(child, 0)
            workbench.kill()
            workbench.wait()
            # The child holds the other end, which is closed once it has ended.
            ready, _, _ = select.select([workbench.stdout], [], [], 60)
            self.assertEqual([stream.read() for stream in ready], [""])
            os.close(read)
            os.close(write)

    def test_an_argument_has_the_type_of_the_default(self) -> None:
        error = self.refused(
            "input-invalid", "make-dataset", *resnet_flags(val_images="many"), "--output", self.dir / "d"
        )
        self.assertIn('"many" is not a value of type int', error["message"])

    def test_a_folder_without_its_modules_is_refused(self) -> None:
        folder = write_toy(self.dir / "toy")
        (folder / "dataloader.py").unlink()
        error = self.refused(
            "model-folder-invalid", "make-dataset", "--model-dir", folder, "--output", self.dir / "d"
        )
        self.assertIn("dataloader.py", error["message"])

    def test_prints_of_model_code_do_not_reach_stdout(self) -> None:
        folder = write_toy(self.dir / "toy")
        loader = folder / "dataloader.py"
        loader.write_text(
            "import os\nprint('chatter')\nos.system('echo more chatter')\n" + loader.read_text()
        )
        ended = toolkit(
            "profile-data", "--model-dir", folder, "--mode=dataset", "--count=1", "--output-dir", self.dir / "p",
            "--signature", '[{"name": "FLAGS__1", "datatype": "INT64", "shape": [-1]}]',
        )  # fmt: skip
        self.assertEqual(ended.code, 0, ended.stderr)
        self.assertIn("chatter", ended.stderr)
        self.assertIn("more chatter", ended.stderr)

    def test_a_fault_in_model_code_comes_with_its_traceback(self) -> None:
        folder = write_toy(self.dir / "toy")
        (folder / "metrics.py").write_text(
            "class MetricsCalculator:\n    def calc(self):\n        raise KeyError\n"
        )
        (folder / "dataloader.py").write_text("def get_dataloader_fn():\n    return 1 / 0\n")
        error = self.refused(
            "model-folder-invalid",
            "infer-framework",
            "--model-dir",
            folder,
            "--runtime=pyt",
            "--output-dir",
            self.dir / "o",
        )
        self.assertIn("ZeroDivisionError", error["message"])
        self.assertIn("return 1 / 0", error["details"])

    def test_stopping_leaves_nothing_behind(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                output = self.dir / f"data-{number}"
                command = [sys.executable, "-m", "toolkit", "make-dataset", "--output", str(output)]
                process = subprocess.Popen(
                    [*command, *resnet_flags(val_images="100000")],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    env=toolkit_environment(),
                )
                # The first class is under way as soon as its folder stands under the temporary name.
                while not list(self.dir.glob(".data-*.partial/val/*/*.jpg")):
                    self.assertIsNone(process.poll(), "the verb ended before it was stopped")
                os.kill(process.pid, number)
                stdout, stderr = process.communicate()
                self.assertEqual(process.returncode, 130)
                self.assertNotIn("Traceback", stderr)
                self.assertNotIn("error", [json.loads(line)["type"] for line in stdout.splitlines()])
                self.assertEqual(list(self.dir.iterdir()), [])

    def test_an_output_folder_with_something_in_it_is_left_alone(self) -> None:
        kept = self.dir / "mine" / "kept.txt"
        kept.parent.mkdir()
        kept.write_text("kept")
        self.refused("input-invalid", "make-dataset", *resnet_flags(), "--output", kept.parent)
        self.assertEqual([path.name for path in kept.parent.iterdir()], ["kept.txt"])

    def test_versions_names_the_packages(self) -> None:
        packages = self.ok("versions")["packages"]
        for name in ("torch", "onnx", "onnxruntime", "numpy"):
            self.assertRegex(packages[name], r"^\d+\.\d+")


class ImportTest(ToolkitCase):
    def test_verbs_without_a_model_do_not_import_torch(self) -> None:
        code = (
            "import sys, importlib\n"
            "for verb in ('make_dataset', 'metrics', 'verify', 'infer_triton', 'profile_data', 'export', 'versions'):\n"
            "    importlib.import_module('toolkit.verbs.' + verb)\n"
            "print([name for name in ('torch', 'onnx', 'onnxruntime', 'tritonclient') if name in sys.modules])"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            env=toolkit_environment(),
            check=True,
        )
        self.assertEqual(done.stdout.strip(), "[]")

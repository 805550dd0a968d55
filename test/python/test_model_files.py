from __future__ import annotations

import csv
import json
import os
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch
from support import ToolkitCase, toolkit, write_toy
from torch import nn

from toolkit.dumps import read_all
from toolkit.errors import ToolkitError
from toolkit.runners import CPU, Device, ModuleRunner, torch_device

FILES = {"onnx": "model.onnx", "ts-trace": "model.pt", "ts-script": "model.pt"}


class FakeOfSmallGpu(nn.Module):
    """Injects a fault: computes on the CPU, and is out of memory where PyTorch's device without memory asks."""

    def __init__(self) -> None:
        super().__init__()
        self.moves: list[str] = []

    def to(self, device: str) -> FakeOfSmallGpu:  # type: ignore[override]
        self.moves.append(device)
        return self

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        if values.device.type == "meta":
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.\nGPU 0 has ...")
        return values * 2


class GivesBfloat16(nn.Module):
    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return values.to(torch.bfloat16)


class DeviceTest(unittest.TestCase):
    """Where the reference is computed."""

    def test_what_a_gpu_does_not_compute_is_computed_on_the_cpu_and_said_once(self) -> None:
        module = FakeOfSmallGpu()
        said: list[str] = []
        runner = ModuleRunner(module, ["x"], ["y"], Device("meta", "NVIDIA A100"), said.append)
        self.assertEqual(runner.device.title, "NVIDIA A100")
        for value in (1, 3):
            result = runner.run({"x": np.full(2, value, dtype=np.float32)})
            np.testing.assert_array_equal(result["y"], np.full(2, 2 * value))
        self.assertEqual((runner.device, module.moves), (CPU, ["meta", "cpu"]))
        self.assertEqual(len(said), 1)
        self.assertIn("as NVIDIA A100 did not compute it: CUDA out of memory. Tried", said[0])

    def test_a_fault_of_the_model_is_a_fault_on_the_cpu_too(self) -> None:
        said: list[str] = []
        runner = ModuleRunner(nn.Linear(3, 1), ["x"], ["y"], Device("meta", "NVIDIA A100"), said.append)
        with self.assertRaises((ToolkitError, NotImplementedError)):
            runner.run({"x": np.ones((1, 2), dtype=np.float32)})
        self.assertEqual(said, [])

    def test_outputs_that_numpy_has_no_type_for_are_named(self) -> None:
        runner = ModuleRunner(GivesBfloat16(), ["x"], ["y"])
        with self.assertRaises(ToolkitError) as caught:
            runner.run({"x": np.ones((1, 3), dtype=np.float32)})
        self.assertEqual(caught.exception.code, "model-folder-invalid")
        self.assertIn("forward returns bfloat16", caught.exception.message)

    def test_fp32_is_asked_for_on_a_gpu_and_the_cpu_where_there_is_none(self) -> None:
        with mock.patch.dict("os.environ", {"TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": "1"}):
            with mock.patch.multiple(
                "torch.cuda", is_available=lambda: True, get_device_name=lambda: "NVIDIA A100"
            ):
                self.assertEqual(torch_device("auto"), Device("cuda", "NVIDIA A100"))
            self.assertEqual(os.environ["TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"], "0")
            self.assertEqual(os.environ["NVIDIA_TF32_OVERRIDE"], "0")
            with mock.patch("torch.cuda.is_available", lambda: False):
                self.assertEqual(torch_device("auto"), CPU)
        self.assertFalse(torch.backends.cuda.matmul.allow_tf32 or torch.backends.cudnn.allow_tf32)
        self.assertEqual(torch_device("cpu"), CPU)


class ModelFileTest(ToolkitCase):
    """Export, convert and inference of a model with two inputs, two outputs and a dimension that varies."""

    def setUp(self) -> None:
        super().setUp()
        self.folder = write_toy(self.dir / "toy")

    def export(self, kind: str, *flags: str) -> tuple[Path, dict[str, Any]]:
        path = self.dir / kind / FILES[kind]
        flags = ("--batch-size=2", *flags)
        result = self.ok("export", "--model-dir", self.folder, "--format", kind, "--output", path, *flags)
        return path, result

    def infer(self, name: str, *flags: object) -> Path:
        output = self.dir / name
        self.ok(
            "infer-framework", "--model-dir", self.folder, "--output-dir", output, "--dump-labels", *flags
        )
        return output

    def test_every_format_and_precision_agrees_with_the_framework(self) -> None:
        asked = ["--runtime=pyt", "--dump-inputs", "--batch-size=2", "--device=auto"]
        reference = self.infer("reference", *asked)
        for kind, file_name in FILES.items():
            path, exported = self.export(kind)
            self.assertEqual(exported["bytes"], path.stat().st_size)
            self.assertEqual(exported["parameters"], 1)
            self.assertEqual(
                exported["inputs"],
                [
                    {"name": "VALUES__0", "datatype": "FP32", "shape": [-1, -1]},
                    {"name": "FLAGS__1", "datatype": "INT64", "shape": [-1]},
                ],
            )
            self.assertEqual([tensor["shape"] for tensor in exported["outputs"]], [[-1, -1], [-1]])
            runtime = "onnx" if kind == "onnx" else "ts"
            for precision, datatype in (("fp32", "FP32"), ("fp16", "FP16")):
                with self.subTest(kind, precision=precision):
                    target = self.dir / f"{kind}-{precision}" / file_name
                    flags = ["--format", kind, "--precision", precision, "--input", path, "--output", target]
                    converted = self.ok("convert", *flags)
                    types = [tensor["datatype"] for tensor in converted["inputs"] + converted["outputs"]]
                    self.assertEqual(types, [datatype, "INT64", datatype, datatype])
                    self.assertEqual(converted["parameters"], 1)
                    dump = self.infer(
                        f"dump-{kind}-{precision}", "--runtime", runtime, "--path", target, "--precision", precision,
                        "--batch-size=2",
                    )  # fmt: skip
                    (first, second) = self.ok(
                        "verify",
                        "--reference",
                        reference,
                        "--candidate",
                        dump,
                        "--atol",
                        "*=0.001",
                        "--rtol=*=0.001",
                    )["outputs"]
                    self.assertEqual((first["output"], second["output"]), ("SCALED__0", "SUM__1"))
                    self.assertEqual((first["passed"], second["passed"]), (True, True))
                    self.assertEqual((first["sampleCount"], first["nanCount"]), (5, 0))

    def test_an_input_that_the_model_does_not_read_stays(self) -> None:
        model = self.folder / "model.py"
        model.write_text(
            model.read_text()
            .replace("def forward(self, values:", "def forward(self, unread: torch.Tensor, values:")
            .replace('"inputs": ["VALUES__0"', '"inputs": ["UNREAD__2", "VALUES__0"')
        )
        loader = self.folder / "dataloader.py"
        loader.write_text(
            loader.read_text().replace('{"VALUES__0"', '{"UNREAD__2": values[:, :1], "VALUES__0"')
        )
        path, _ = self.export("onnx")
        for precision, datatype in (("fp32", "FP32"), ("fp16", "FP16")):
            target = self.dir / precision / "model.onnx"
            flags = ["--format=onnx", "--precision", precision, "--input", path, "--output", target]
            converted = self.ok("convert", *flags)
            first = {"name": "UNREAD__2", "datatype": datatype, "shape": [-1, 1]}
            self.assertEqual(converted["inputs"][0], first)
            self.assertEqual(
                [tensor["name"] for tensor in converted["inputs"][1:]], ["VALUES__0", "FLAGS__1"]
            )
            self.infer(f"dump-{precision}", "--runtime=onnx", "--path", target, "--precision", precision)

    def test_what_a_library_leaves_among_the_temporary_files_is_removed(self) -> None:
        model = self.folder / "model.py"
        left = "import tempfile\ntempfile.NamedTemporaryFile(delete=False).close()\n"
        model.write_text(left + model.read_text())
        temporary = self.dir / "temporary"
        temporary.mkdir()
        flags = ["--model-dir", self.folder, "--batch-size=2"]
        with mock.patch.dict(os.environ, {"TMPDIR": str(temporary)}):
            self.ok("export", *flags, "--format=ts-trace", "--output", self.dir / "model.pt")
            self.refused("input-invalid", "export", *flags, "--format=none", "--output", self.dir / "other")
        self.assertEqual(list(temporary.iterdir()), [])

    def test_pt2_needs_a_compiler(self) -> None:
        flags = ["--model-dir", self.folder, "--format=pt2", "--output", self.dir / "model.pt2"]
        with mock.patch.dict(os.environ, {"CXX": "no-such-compiler"}):
            error = self.refused("toolchain-missing", "export", *flags)
        self.assertIn("no-such-compiler is not installed", error["message"])
        self.assertFalse((self.dir / "model.pt2").exists())

    def test_the_opset_is_the_one_asked_for(self) -> None:
        for opset in (11, 13, 17):
            self.assertEqual(self.export("onnx", "--opset", str(opset))[1]["opset"], opset)

    def test_weights_outside_float16_are_reported(self) -> None:
        path, _ = self.export("onnx", "--arg=scale=1e9")
        target = self.dir / "half.onnx"
        ended = toolkit("convert", "--format=onnx", "--precision=fp16", "--input", path, "--output", target)
        self.assertEqual(ended.code, 0, ended.stderr)
        self.assertEqual(len(ended.of_type("warning")), 1, ended.lines)

    def test_a_precision_that_the_file_does_not_have_is_refused(self) -> None:
        path, _ = self.export("onnx")
        error = self.refused(
            "model-mismatch", "infer-framework", "--model-dir", self.folder, "--runtime=onnx", "--path", path,
            "--precision=fp16", "--output-dir", self.dir / "o",
        )  # fmt: skip
        self.assertIn("VALUES__0 as FP32", error["message"])
        self.assertFalse((self.dir / "o").exists())

    def test_files_that_are_no_models_are_refused(self) -> None:
        path = self.dir / "noise.bin"
        path.write_bytes(bytes(range(256)))
        for kind in (*FILES, "pt2"):
            self.refused(
                "input-invalid", "convert", "--format", kind, "--precision=fp32", "--input", path,
                "--output", self.dir / "out",
            )  # fmt: skip
        self.assertEqual(sorted(entry.name for entry in self.dir.iterdir()), ["noise.bin", "toy"])

    def test_a_model_bound_to_one_batch_size_is_refused(self) -> None:
        model = self.folder / "model.py"
        model.write_text(model.read_text().replace("* self.scale, (", "* self.scale.expand(2, 1), ("))
        error = self.refused(
            "model-folder-invalid",
            "export",
            "--model-dir",
            self.folder,
            "--format=ts-trace",
            "--output",
            self.dir / "m.pt",
        )
        self.assertIn("[2, 3] for a batch of 1", error["message"])
        self.assertFalse((self.dir / "m.pt").exists())

    def test_limit_cuts_the_last_batch_and_labels_are_kept(self) -> None:
        dump = self.infer("limited", "--runtime=pyt", "--batch-size=2", "--limit=3")
        self.assertEqual(list(read_all(dump, "ids")["ids"]), ["s0", "s1", "s2"])
        np.testing.assert_array_equal(read_all(dump, "labels")["SUM__1"], [0, 1, 0])

    def test_nan_in_inputs_is_refused_by_name(self) -> None:
        error = self.refused(
            "input-invalid", "infer-framework", "--model-dir", self.folder, "--runtime=pyt", "--dump-inputs",
            "--arg=nan_at=3", "--output-dir", self.dir / "o",
        )  # fmt: skip
        self.assertIn("sample s3 contains NaN", error["message"])

    def test_metrics_are_one_header_and_one_row(self) -> None:
        dump = self.infer("dump", "--runtime=pyt")
        path = self.dir / "deep" / "metrics.csv"
        flags = ["--model-dir", self.folder, "--dump-dir", dump, "--csv", path]
        result = self.ok("metrics", *flags, "--arg=name=even")
        self.assertEqual((result["metrics"], result["samples"]), ({"even": 1.0}, 5))
        with path.open(newline="") as file:
            self.assertEqual(list(csv.reader(file)), [["_total_", "even"], ["5", "1.0"]])
        self.assertIn(
            "plain word", self.refused("model-folder-invalid", "metrics", *flags, "--arg=name=a b")["message"]
        )

    def test_the_name_of_a_metric_is_no_formula_of_a_spreadsheet(self) -> None:
        dump = self.infer("dump", "--runtime=pyt")
        path = self.dir / "metrics.csv"
        flags = ["--model-dir", self.folder, "--dump-dir", dump, "--csv", path]
        for name in ("=HYPERLINK(A1)", "@SUM(A1)", "+1", "-1", "'=1", "\uff1d1", "\u200b=1"):
            with self.subTest(name):
                result = self.ok("metrics", *flags, f"--arg=name={name}")
                self.assertEqual(result["metrics"], {name: 1.0})
                header = path.read_text(encoding="utf-8").splitlines()[0]
                self.assertEqual(header, f"_total_,'{name}")

    def test_metrics_need_labels(self) -> None:
        output = self.dir / "bare"
        self.ok("infer-framework", "--model-dir", self.folder, "--runtime=pyt", "--output-dir", output)
        error = self.refused(
            "input-invalid",
            "metrics",
            "--model-dir",
            self.folder,
            "--dump-dir",
            output,
            "--csv",
            self.dir / "m.csv",
        )
        self.assertIn("--dump-labels", error["remedy"])

    def test_a_folder_without_metrics_is_refused_where_they_are_asked_for(self) -> None:
        (self.folder / "metrics.py").unlink()
        dump = self.infer("dump", "--runtime=pyt")
        flags = ["--model-dir", self.folder, "--dump-dir", dump, "--csv", self.dir / "m.csv"]
        error = self.refused("model-folder-invalid", "metrics", *flags)
        self.assertEqual(error["message"], "The model folder lacks metrics.py")

    def test_a_vacuous_tolerance_is_warned_of(self) -> None:
        dump = self.infer("dump", "--runtime=pyt")
        ended = toolkit("verify", "--reference", dump, "--candidate", dump, "--atol=*=100", "--rtol=*=100")
        self.assertEqual(ended.code, 0)
        self.assertIn("cannot fail", ended.of_type("warning")[0]["text"])
        self.assertEqual([output["vacuous"] for output in ended.last["outputs"]], [True, True])


class ProfileDataTest(ToolkitCase):
    def write(
        self, mode: str, signature: list[dict[str, Any]], *flags: str
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        folder = write_toy(self.dir / "toy")
        output = self.dir / "data"
        # The folder of a step holds its log already.
        output.mkdir()
        (output / "step.log").write_text("kept")
        result = self.ok(
            "profile-data", "--model-dir", folder, "--mode", mode, "--signature", json.dumps(signature),
            "--output-dir", output, *flags,
        )  # fmt: skip
        self.assertEqual((output / "step.log").read_text(), "kept")
        return result, json.loads((output / "input-data.json").read_text())

    def test_random_values_are_seeded_and_of_the_right_type(self) -> None:
        signature = [
            {"name": "A", "datatype": "FP16", "shape": [-1, 2, 3]},
            {"name": "B", "datatype": "INT32", "shape": [-1, 4]},
        ]
        result, manifest = self.write("random", signature, "--count=3", "--seed=5")
        self.assertEqual((result["count"], result["bytes"]), (3, 3 * (12 + 16)))
        first, second = manifest["tensors"]
        self.assertEqual((first["shape"], second["shape"], manifest["source"]), ([2, 3], [4], "random"))
        values = [np.fromfile(self.dir / "data" / name, dtype="<f2") for name in first["files"]]
        self.assertTrue(all(((array >= 0) & (array <= 1)).all() for array in values))
        self.assertFalse(np.array_equal(values[0], values[1]))
        flags = np.concatenate(
            [np.fromfile(self.dir / "data" / name, dtype="<i4") for name in second["files"]]
        )
        self.assertEqual(set(flags) | {0, 1}, {0, 1})

    def test_zero_values_are_zero(self) -> None:
        _, manifest = self.write("zero", [{"name": "A", "datatype": "FP32", "shape": [-1, 2]}], "--count=1")
        self.assertEqual((self.dir / "data" / manifest["tensors"][0]["files"][0]).read_bytes(), bytes(8))

    def test_samples_of_the_data_set_come_as_they_are(self) -> None:
        signature = [{"name": "VALUES__0", "datatype": "FP32", "shape": [-1, -1]}]
        result, manifest = self.write("dataset", signature, "--count=2", "--batch-size=2")
        self.assertEqual(result["count"], 2)
        values = np.fromfile(self.dir / "data" / manifest["tensors"][0]["files"][1], dtype="<f4")
        np.testing.assert_array_equal(values, [3, 4, 5])

    def test_a_varying_dimension_needs_a_data_set(self) -> None:
        folder = write_toy(self.dir / "toy")
        error = self.refused(
            "input-invalid", "profile-data", "--model-dir", folder, "--mode=random", "--output-dir", self.dir / "d",
            "--signature", '[{"name": "A", "datatype": "FP32", "shape": [-1, -1]}]',
        )  # fmt: skip
        self.assertIn("--dataset", error["remedy"])

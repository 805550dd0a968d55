"""What a model takes that fails on its samples, and what a model that changes its outputs is made of."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from make_models import floats, save, write_baked, write_positions
from onnx import helper
from support import RESOURCES, ToolkitCase, failure, run_verb, spoken, write_toy

from toolkit.checks.randomness import onnx_random_operators
from toolkit.errors import runtime_reason


class LimitsTest(ToolkitCase):
    def export(
        self, source: Path, shape: list[int], dims: list[int], output: list[int], *flags: str
    ) -> list[object]:
        inputs = json.dumps([{"name": "x", "datatype": "FP32", "shape": shape, "dims": dims}])
        folder = ["--model-dir", RESOURCES / "own", "--samples-only", f"--arg=inputs={inputs}"]
        samples = self.dir / f"samples-{len(list(self.dir.iterdir()))}"
        run_verb("make-dataset", *folder, "--arg=samples=2", "--output", samples)
        tensors = {"x": [-1, *dims], "y": [-1, *output]}
        signature = {
            side: [{"name": name, "datatype": "FP32", "shape": tensors[name]}]
            for side, name in (("inputs", "x"), ("outputs", "y"))
        }
        return [
            *folder, "--format=onnx", "--source", source, "--dataset", samples, "--output", self.dir / "out.onnx",
            f"--signature={json.dumps(signature)}", *flags,
        ]  # fmt: skip

    def test_a_batch_of_one_that_is_built_in(self) -> None:
        source = write_baked(self.dir / "baked.onnx", 1)
        error = failure("export", *self.export(source, [2, 2], [2, 2], [4]))
        self.assertEqual(error.code, "model-file-invalid")
        self.assertTrue(
            error.message.startswith(
                "baked.onnx works only at batch size 1; a batch of 3 fails: The input tensor cannot"
            ),
            error.message,
        )
        self.assertNotIn("onnxruntime::", error.message)
        self.assertIn("::", error.details or "")
        self.assertIn("--max-batch-size 1", error.remedy or "")
        # That is the batch size of such a run.
        run_verb("export", *self.export(source, [2, 2], [2, 2], [4], "--batch-size=1"))

    def test_a_batch_of_more_that_is_built_in(self) -> None:
        source = write_baked(self.dir / "baked.onnx", 4)
        error = failure("export", *self.export(source, [2, 2], [2, 2], [4]))
        self.assertIn("baked.onnx works at batch size 4 only; one sample fails", error.message)
        command = (error.remedy or "").split("file: python ")[1].split(". Or")[0].split()
        subprocess.run([sys.executable, *command], cwd=self.dir, check=True, capture_output=True)
        fixed = onnx.load(self.dir / "fixed.onnx")
        shape = [size.dim_value for size in fixed.graph.input[0].type.tensor_type.shape.dim]
        self.assertEqual(shape, [4, 2, 2])

    def test_the_longest_length_is_found(self) -> None:
        for longest in (300, 512, 7):
            with self.subTest(longest):
                source = write_positions(self.dir / "positions.onnx", longest)
                error = failure("export", *self.export(source, [1000], [-1], [-1]))
                self.assertIn(
                    f"positions.onnx works up to length {longest} (axis 1 of x); 1000 fails", error.message
                )
                self.assertIn(f"--shape x=1,{longest}", error.remedy or "")
                run_verb("export", *self.export(source, [longest], [-1], [-1]))

    def test_what_nothing_helps_is_told_as_it_is(self) -> None:
        node = helper.make_node("MatMul", ["x", "w"], ["y"], name="wide")
        weights = {"w": np.ones((7, 2), np.float32)}
        source = save(
            self.dir / "wide.onnx", [node], floats("x", ["batch", None]), floats("y", ["batch", 2]), weights
        )
        error = failure("export", *self.export(source, [3], [3], [2]))
        self.assertIn("The model fails on its samples (x [1, 3])", error.message)
        self.assertIn('(MatMul node "wide")', error.message)

    def test_an_output_that_is_not_as_it_is_declared(self) -> None:
        node = helper.make_node("Relu", ["x"], ["y"])
        source = save(
            self.dir / "wrong.onnx", [node], floats("x", ["batch", 3]), floats("y", ["batch", 3]), {}
        )
        error = failure("export", *self.export(source, [3], [3], [5]))
        self.assertIn("The output y is FP32 [1, 3], but the file declares FP32 [-1, 5]", error.message)
        self.assertIn("Correct the shape that the file declares", error.remedy or "")
        self.assertNotIn("--max-batch-size", spoken(error))


_DROPPING = """
import torch
from torch import nn
from torch.nn import functional


class Dropping(nn.Module):
    def forward(self, values: torch.Tensor, flags: torch.Tensor):
        left = functional.dropout(values + 1, 0.5)
        return left, flags


def get_model():
    return Dropping(), {"inputs": ["VALUES__0", "FLAGS__1"], "outputs": ["SCALED__0", "SUM__1"]}
"""


class RandomnessTest(ToolkitCase):
    def test_dropout_that_is_left_on_is_named_by_its_line(self) -> None:
        folder = write_toy(self.dir / "toy")
        (folder / "model.py").write_text(_DROPPING)
        dump = self.dir / "twice"
        model = ["--model-dir", folder, "--runtime=pyt", "--batch-size=2"]
        result = run_verb("infer-framework", *model, "--again", "--output-dir", dump)
        self.assertEqual(len(result["random"]), 1)
        self.assertIn("model.py, line 9: left = functional.dropout(values + 1, 0.5)", result["random"][0])
        outputs = run_verb("verify", "--reference", dump, "--candidate", dump / "again")["outputs"]
        self.assertEqual([output["passed"] for output in outputs], [False, True])

    def test_a_model_without_chance_agrees_with_itself(self) -> None:
        dump = self.dir / "twice"
        model = ["--model-dir", write_toy(self.dir / "toy"), "--runtime=pyt", "--batch-size=2"]
        self.assertEqual(run_verb("infer-framework", *model, "--again", "--output-dir", dump)["random"], [])
        outputs = run_verb("verify", "--reference", dump, "--candidate", dump / "again")["outputs"]
        self.assertEqual([output["passed"] for output in outputs], [True, True])

    def test_operators_of_a_graph_that_draw(self) -> None:
        nodes = [
            helper.make_node("RandomNormalLike", ["x"], ["noise"], name="noise"),
            helper.make_node("Dropout", ["noise", "ratio", "on"], ["dropped"], name="left_on"),
            helper.make_node("Dropout", ["dropped", "ratio", "off"], ["y"], name="off"),
        ]
        constants = {"ratio": np.float32(0.5), "on": np.bool_(True), "off": np.bool_(False)}
        path = save(
            self.dir / "drawing.onnx", nodes, floats("x", ["batch", 3]), floats("y", ["batch", 3]), constants
        )
        found = onnx_random_operators(path)
        self.assertEqual(
            found, ['RandomNormalLike (node "noise")', 'Dropout in training mode (node "left_on")']
        )


class ReasonTest(ToolkitCase):
    def test_reasons_of_onnx_runtime_come_first(self) -> None:
        path = Path(__file__).parents[1] / "fixtures" / "runtime-reasons.json"
        for case in json.loads(path.read_text(encoding="utf-8")):
            with self.subTest(case["reason"]):
                self.assertEqual(runtime_reason(case["error"]), case["reason"])

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any

import numpy as np
from fastpitch import flags, folder, module_of
from support import ToolkitCase

from toolkit.dumps import DumpWriter, write_lengths
from toolkit.errors import ToolkitError
from toolkit.model_folder import ModelFolder
from toolkit.runners import load_model


class MetricsTest(unittest.TestCase):
    def test_alignment_by_hand(self) -> None:
        distance = module_of("metrics").mel_distance
        a, b = np.array([[0.0, 1.0, 2.0]]), np.array([[0.0, 0.0, 1.0, 2.0, 2.0]])
        self.assertEqual(distance(a, a), 0.0)
        self.assertEqual(distance(a, b), 0.0)
        # [0] to [3, 5]: 3 counts twice, 5 once, over 1 + 2.
        self.assertAlmostEqual(distance(np.array([[0.0]]), np.array([[3.0, 5.0]])), 11 / 3)
        self.assertAlmostEqual(distance(np.zeros((2, 4)), np.array([[1.0] * 4, [3.0] * 4])), 2.0)
        rng = np.random.default_rng(0)
        c, d = rng.normal(size=(3, 9)), rng.normal(size=(3, 14))
        self.assertAlmostEqual(distance(c, d), distance(d, c))
        self.assertAlmostEqual(distance(c, d), self.plain(c, d))

    @staticmethod
    def plain(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
        n, m = a.shape[1], b.shape[1]
        table = np.full((n + 1, m + 1), np.inf)
        table[0, 0] = 0
        for i in range(1, n + 1):
            for j in range(1, m + 1):
                cost = np.abs(a[:, i - 1] - b[:, j - 1]).mean()
                table[i, j] = min(
                    table[i - 1, j - 1] + 2 * cost, table[i - 1, j] + cost, table[i, j - 1] + cost
                )
        return float(table[n, m] / (n + m))

    def test_padding_counts_for_nothing(self) -> None:
        mel = np.full((3, 80, 6), -5.0, dtype=np.float32)
        mel[0, :, 4:] = np.nan
        mel[1, 7, 2] = 3.5
        real = {"OUTPUT__0": np.full((3, 80, 8), -6.0), "OUTPUT__1": np.array([4, 5, 8])}
        values = (
            folder()
            .call("metrics")
            .calc(
                ids=[],
                # As Triton gives lengths.
                y_pred={"OUTPUT__0": mel, "OUTPUT__1": np.array([[4], [6], [6]])},
                x=None,
                y_real=real,
            )
        )
        self.assertAlmostEqual(values["accuracy"], 2 / 3)
        self.assertAlmostEqual(values["length_error"], (0 + 1 / 5 + 2 / 8) / 3)
        self.assertGreater(values["mel_distance"], 1.0)
        self.assertLess(values["mel_distance"], 1.02)

    def test_nan_of_the_model_is_out_of_range_and_far_off(self) -> None:
        lengths = np.array([2])
        values = (
            folder()
            .call("metrics")
            .calc(
                ids=[],
                y_pred={"OUTPUT__0": np.full((1, 80, 2), np.nan), "OUTPUT__1": lengths},
                x=None,
                y_real={"OUTPUT__0": np.zeros((1, 80, 2)), "OUTPUT__1": lengths},
            )
        )
        self.assertEqual((values["accuracy"], values["mel_distance"]), (0.0, 100.0))


class ToolkitTest(ToolkitCase):
    """What the toolkit does for outputs whose samples have lengths of their own."""

    def dump(self, name: str, lengths: list[int], frames: int, scalar: bool = True, off: float = 0.0) -> Path:
        path = self.dir / name
        path.mkdir()
        mel = np.tile(np.arange(frames, dtype=np.float32) + 1, (len(lengths), 2, 1)) + off
        counts = np.array(lengths, dtype=np.int64)
        writer = DumpWriter(path)
        outputs = {"MEL": mel, "LENGTHS": counts if scalar else counts[:, None]}
        writer.write([f"s{i}" for i in range(len(lengths))], outputs=outputs)
        writer.flush()
        return path

    def compared(self, reference: Path, candidate: Path) -> dict[str, dict[str, Any]]:
        result = self.ok("verify", "--reference", reference, "--candidate", candidate, "--atol=*=0.5")
        return {output["output"]: output for output in result["outputs"]}

    def test_values_are_compared_up_to_each_samples_own_length(self) -> None:
        reference = self.dump("r", [3, 5], 5)
        write_lengths(reference, {"MEL": "LENGTHS"})
        # Triton padded further: another request of the batch was longer. It gives a sample's one number as [1].
        mel = self.compared(reference, self.dump("c", [3, 5], 9, scalar=False, off=0.25))["MEL"]
        self.assertEqual((mel["passed"], mel["maxAbsDiff"], mel["otherLengths"]), (True, 0.25, 0))

    def test_another_length_fails_and_is_counted_and_the_rest_is_compared(self) -> None:
        reference = self.dump("r", [3, 5], 5)
        write_lengths(reference, {"MEL": "LENGTHS"})
        found = self.compared(reference, self.dump("c", [4, 5], 5))
        mel = found["MEL"]
        self.assertEqual((mel["passed"], mel["maxAbsDiff"], mel["otherLengths"]), (False, 0.0, 1))
        self.assertEqual((found["LENGTHS"]["passed"], found["LENGTHS"]["maxAbsDiff"]), (False, 1.0))

    def test_without_lengths_other_shapes_are_refused(self) -> None:
        reference, candidate = self.dump("r", [3, 5], 5), self.dump("c", [3, 5], 6)
        self.refused("verification-failed", "verify", "--reference", reference, "--candidate", candidate)

    def test_lengths_that_name_no_output_are_refused(self) -> None:
        model = self.dir / "model"
        model.mkdir()
        for name in ("model", "dataloader", "metrics"):
            (model / f"{name}.py").write_text("class MetricsCalculator: pass\n")
        (model / "dataloader.py").write_text("def get_dataloader_fn(): return lambda: []\n")
        (model / "model.py").write_text(
            "from torch import nn\n\n\ndef get_model():\n"
            "    return nn.ReLU(), {'inputs': ['I'], 'outputs': ['O'], 'lengths': {'O': 'P'}}\n"
        )
        with self.assertRaises(ToolkitError) as caught:
            load_model(ModelFolder(model, {}, {}), None)
        self.assertEqual(caught.exception.code, "model-folder-invalid")

    def test_export_run_and_load_data_of_the_real_model(self) -> None:
        data = self.dir / "data"
        folder(val_sentences="4").call("make_dataset", str(data))
        common = [*flags(sequence_length="24"), "--dataset", data]
        # All four fit into one batch, and yet the lengths are seen to vary.
        model = self.dir / "model.onnx"
        result = self.ok(
            "export", *common, "--batch-size=8", "--format=onnx", "--opset=12", "--output", model
        )
        self.assertEqual(
            {t["name"]: (t["datatype"], t["shape"]) for t in result["inputs"] + result["outputs"]},
            {
                "INPUT__0": ("INT64", [-1, -1]),
                "OUTPUT__0": ("FP32", [-1, 80, -1]),
                "OUTPUT__1": ("INT64", [-1]),
                "OUTPUT__2": ("FP32", [-1, -1]),
                "OUTPUT__3": ("FP32", [-1, 1, -1]),
                "OUTPUT__4": ("FP32", [-1, -1]),
            },
        )
        for name, extra in (("r", ["--runtime=pyt"]), ("c", ["--runtime=onnx", "--path", model])):
            self.ok("infer-framework", *common, "--batch-size=3", *extra, "--output-dir", self.dir / name)
        self.assertEqual(
            json.loads((self.dir / "r" / "lengths.json").read_text()), {"OUTPUT__0": "OUTPUT__1"}
        )
        outputs = self.compared(self.dir / "r", self.dir / "c")
        self.assertTrue(all(output["passed"] for output in outputs.values()), outputs)
        self.ok(
            "profile-data", *common, "--mode=dataset", "--count=2", "--output-dir", self.dir / "load",
            "--signature", json.dumps(result["inputs"]),
        )  # fmt: skip
        manifest = json.loads((self.dir / "load" / "input-data.json").read_text())
        self.assertEqual(manifest["tensors"][0]["shape"], [24])


if __name__ == "__main__":
    unittest.main()

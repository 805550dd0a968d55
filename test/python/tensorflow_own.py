"""An engineer's SavedModel through the toolkit: run by the integration test in the environment with TensorFlow."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from make_savedmodel import write_savedmodel
from support import RESOURCES, ToolkitCase, failure, run_verb

_INPUTS = [
    {"name": "gain", "datatype": "FP32", "shape": [1], "dims": [1]},
    {"name": "values", "datatype": "FP32", "shape": [5, 3], "dims": [-1, 3]},
]
_SIGNATURE: dict[str, Any] = {
    "inputs": [
        {"name": "gain", "datatype": "FP32", "shape": [-1, 1]},
        {"name": "values", "datatype": "FP32", "shape": [-1, -1, 3]},
    ],
    "outputs": [
        {"name": "positive", "datatype": "BOOL", "shape": [-1, -1]},
        {"name": "sum", "datatype": "FP32", "shape": [-1, -1, 2]},
    ],
}


class OwnSavedModelTest(ToolkitCase):
    def setUp(self) -> None:
        super().setUp()
        self.source = self.dir / "source"
        write_savedmodel(str(self.source))
        self.folder = [
            "--model-dir",
            RESOURCES / "own",
            "--samples-only",
            f"--arg=inputs={json.dumps(_INPUTS)}",
        ]
        self.samples = self.dir / "samples"
        run_verb("make-dataset", *self.folder, "--arg=samples=5", "--output", self.samples)

    def flags(self, signature: dict[str, Any]) -> list[object]:
        return [*self.folder, "--dataset", self.samples, "--signature", json.dumps(signature)]

    def export(self, kind: str, signature: dict[str, Any] = _SIGNATURE) -> list[object]:
        output = self.dir / kind
        return [*self.flags(signature), f"--format={kind}", "--source", self.source, "--output", output]

    def dump(self, name: str, path: Path, runtime: str) -> Path:
        output = self.dir / name
        flags = [*self.flags(_SIGNATURE), f"--runtime={runtime}", "--path", path, "--output-dir", output]
        run_verb("infer-framework", *flags)
        return output

    def test_the_folder_and_its_onnx_answer_as_the_source_does(self) -> None:
        reference = self.dump("reference", self.source, "savedmodel")
        for kind, runtime in (("tf-savedmodel", "savedmodel"), ("onnx", "onnx")):
            with self.subTest(kind):
                result = run_verb("export", *self.export(kind))
                self.assertEqual(result["parameters"], 6)
                self.assertEqual(result["inputs"], _SIGNATURE["inputs"])
                converted = self.dir / f"converted-{kind}"
                flags = [f"--format={kind}", "--precision=fp32", "--foreign", "--input", self.dir / kind]
                run_verb("convert", *flags, "--output", converted)
                dump = self.dump(f"{kind}-dump", converted, runtime)
                verified = run_verb(
                    "verify", "--reference", reference, "--candidate", dump, "--atol", "*=1e-5"
                )
                for output in verified["outputs"]:
                    self.assertLess(output["maxAbsDiff"], 1e-5, output["output"])

    def test_outputs_that_are_not_as_the_file_says(self) -> None:
        wrong = json.loads(json.dumps(_SIGNATURE).replace('"BOOL"', '"INT64"'))
        error = failure("export", *self.export("tf-savedmodel", wrong))
        self.assertIn("The output positive is BOOL [1, 5], but the file declares INT64", error.message)

    def test_a_damaged_graph_is_told(self) -> None:
        weights = self.source / "variables" / "variables.data-00000-of-00001"
        weights.write_bytes(weights.read_bytes()[:8])
        error = failure("export", *self.export("tf-savedmodel"))
        self.assertEqual(error.code, "model-folder-invalid")
        self.assertIn("TensorFlow cannot load source", error.message)

    def test_an_old_keras_optimizer_is_passed_over(self) -> None:
        """Its objects cannot be restored: the first attempt fails here as it does for such a file."""
        import tensorflow

        from toolkit.keras_model import SavedModelRunner

        whole = SavedModelRunner(self.source)
        load = tensorflow.saved_model.load
        missing = AttributeError("'_UserObject' object has no attribute 'add_slot'")
        tensorflow.saved_model.load = mock.Mock(side_effect=[missing, mock.DEFAULT], wraps=load)
        try:
            graph = SavedModelRunner(self.source)
        finally:
            tensorflow.saved_model.load = load
        x = {
            "values": np.ones((2, 4, 3), np.float32),
            "gain": np.full((2, 1), 0.5, np.float32),
        }
        np.testing.assert_allclose(graph.run(x)["sum"], whole.run(x)["sum"], rtol=1e-6)


if __name__ == "__main__":
    unittest.main()

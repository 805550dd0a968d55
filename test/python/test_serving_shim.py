"""The parts of the shims that need no Triton, by the files themselves."""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
import types
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from support import RESOURCES

SERVING = RESOURCES / "serving"


def _load(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    utils = types.ModuleType("triton_python_backend_utils")
    with mock.patch.dict(sys.modules, {"triton_python_backend_utils": utils, "serving_shim": _shim or utils}):
        spec.loader.exec_module(module)
    return module


_shim: Any = None
_shim = _load(SERVING / "shared" / "serving_shim.py", "serving_shim")
_onnx = _load(SERVING / "onnx" / "model.py", "onnx_model")
_torchscript = _load(SERVING / "torchscript" / "model.py", "torchscript_model")


class Completed:
    """A configuration that is completed, as Triton hands it over."""

    def __init__(self, **given: Any) -> None:
        self.config: dict[str, Any] = {"max_batch_size": 0, "input": [], "output": [], **given}

    def as_dict(self) -> dict[str, Any]:
        return self.config

    def set_max_batch_size(self, size: int) -> None:
        self.config["max_batch_size"] = size

    def set_dynamic_batching(self) -> None:
        self.config["dynamic_batching"] = {}

    def add_input(self, tensor: dict[str, Any]) -> None:
        self.config["input"].append(tensor)

    def add_output(self, tensor: dict[str, Any]) -> None:
        self.config["output"].append(tensor)


def _completed(shape: list[int], **given: Any) -> dict[str, Any]:
    tensors = ([("x", "TYPE_FP32", shape)], [("y", "TYPE_FP32", shape)])
    config: dict[str, Any] = _shim.complete_config(Completed(**given), tensors).config
    return config


class CompletedConfigs(unittest.TestCase):
    def test_a_variable_first_axis_is_a_batch_of_four(self) -> None:
        config = _completed([-1, 3])
        self.assertEqual(config["max_batch_size"], 4)
        self.assertEqual(config["dynamic_batching"], {})
        self.assertEqual(config["input"], [{"name": "x", "data_type": "TYPE_FP32", "dims": [3]}])

    def test_a_fixed_first_axis_stays(self) -> None:
        config = _completed([1, 3])
        self.assertEqual(config["max_batch_size"], 0)
        self.assertNotIn("dynamic_batching", config)
        self.assertEqual(config["output"], [{"name": "y", "data_type": "TYPE_FP32", "dims": [1, 3]}])

    def test_what_is_configured_is_kept(self) -> None:
        own = [{"name": "x", "data_type": "TYPE_FP32", "dims": [-1, 3]}]
        config = _completed([-1, 3], input=own, sequence_batching={})
        self.assertEqual((config["input"], config["max_batch_size"]), (own, 0))
        self.assertEqual(config["output"][0]["dims"], [-1, 3])
        self.assertEqual(_completed([-1, 3], max_batch_size=16)["max_batch_size"], 16)

    def test_the_file_is_that_of_the_newest_version(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for version in ("2", "10", "old"):
                (Path(folder) / "m" / version).mkdir(parents=True)
            with mock.patch.dict(os.environ, {"TRITON_WORKBENCH_REPOSITORY": folder}):
                usual = _shim.configured_model({"name": "m"}, "model.onnx")
                named = _shim.configured_model(
                    {"name": "m", "default_model_filename": "b.onnx"}, "model.onnx"
                )
            self.assertEqual(usual, Path(folder) / "m" / "10" / "model.onnx")
            self.assertEqual(named and named.name, "b.onnx")

    def test_without_a_repository_nothing_is_completed(self) -> None:
        with mock.patch.dict(os.environ):
            os.environ.pop("TRITON_WORKBENCH_REPOSITORY", None)
            self.assertIsNone(_shim.configured_model({"name": "m"}, "model.onnx"))


class Parameters(unittest.TestCase):
    def test_names_of_tritons_backends_are_taken(self) -> None:
        config = {
            "default_model_filename": "model.py",
            "parameters": {"intra_op_thread_count": {"string_value": "3"}},
        }
        self.assertEqual(_shim.read_parameters(config)["intra_op_threads"], "3")
        self.assertNotIn("model_filename", _shim.read_parameters(config))


class Texts(unittest.TestCase):
    def test_onnx_runtime_gets_the_text_itself(self) -> None:
        import onnx
        import onnxruntime

        made = onnx.helper
        tensors = [made.make_tensor_value_info(name, onnx.TensorProto.STRING, ["N", 2]) for name in "xy"]
        graph = made.make_graph([made.make_node("Identity", ["x"], ["y"])], "g", tensors[:1], tensors[1:])
        model = made.make_model(graph, opset_imports=[made.make_opsetid("", 17)], ir_version=8)
        session = onnxruntime.InferenceSession(model.SerializeToString())
        given = np.array([["caf\u00e9".encode(), b""]], dtype=np.object_)
        (found,) = session.run(None, {"x": _onnx.runtime_array(given)})
        self.assertEqual(found.tolist(), [["caf\u00e9", ""]])

    def test_bytes_that_are_no_text_and_numbers_stay_what_they_are(self) -> None:
        image = np.array([b"\x89PNG\x00\xff"], dtype=np.object_)
        self.assertEqual(_onnx.runtime_array(image).tolist(), [b"\x89PNG\x00\xff"])
        numbers = np.zeros([2, 3], dtype=np.float32)
        self.assertIs(_onnx.runtime_array(numbers), numbers)


class Positions(unittest.TestCase):
    def test_torchscript_tensors_are_in_the_order_of_the_module(self) -> None:
        in_order = _torchscript._in_order
        self.assertEqual(in_order(["INPUT__1", "INPUT__0"]), ["INPUT__0", "INPUT__1"])
        self.assertEqual(in_order(["b", "a"], ["self", "a", "b"]), ["a", "b"])
        self.assertEqual(in_order(["one", "other"], ["self", "a", "b"]), ["one", "other"])


if __name__ == "__main__":
    unittest.main()

"""Writes models of other people's kind for the integration tests: it takes the path of a new folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper


def write_norms(path: Path, epsilon: float) -> Path:
    """x [batch, 4, 16] -> y through two normalisations that share one epsilon, as exporters of old sets write them."""
    nodes, last = [], "x"
    for place in "ab":

        def made(operator: str, inputs: list[str], output: str, place: str = place, **rest: Any) -> str:
            nodes.append(helper.make_node(operator, inputs, [output + place], **rest))
            return output + place

        mean = made("ReduceMean", [last], "mean", axes=[-1], keepdims=1)
        difference = made("Sub", [last, mean], "difference")
        square = made("Pow", [difference, "two"], "square")
        variance = made("ReduceMean", [square], "variance", axes=[-1], keepdims=1)
        deviation = made("Sqrt", [made("Add", [variance, "epsilon"], "sum")], "deviation")
        scaled = made("Mul", [made("Div", [difference, deviation], "quotient"), "small"], "scaled")
        last = made("Add", [scaled, "zero"], "shifted")
    nodes.append(helper.make_node("Mul", [last, "large"], ["y"]))
    numbers = {"two": 2.0, "epsilon": epsilon, "small": [0.05] * 16, "zero": [0.0] * 16, "large": 20.0}
    weights = [
        onnx.numpy_helper.from_array(np.array(value, np.float32), name) for name, value in numbers.items()
    ]
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 4, 16]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", tensors[:1], tensors[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(path))
    return path


_ONNX_CONFIG = """
name: "normed"
platform: "onnxruntime_onnx"
max_batch_size: 4
input [ { name: "x" data_type: TYPE_FP32 dims: [ 4, 16 ] } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ 4, 16 ] } ]
dynamic_batching { preferred_batch_size: [ 2, 4 ] max_queue_delay_microseconds: 300 }
instance_group [ { count: 2 kind: KIND_CPU } ]
"""

_TORCH_CONFIG = """
name: "mixer"
platform: "pytorch_libtorch"
max_batch_size: 2
input [
  { name: "INPUT__1" data_type: TYPE_INT64 dims: [ 5 ] },
  { name: "INPUT__0" data_type: TYPE_FP32 dims: [ 5 ] }
]
output [
  { name: "TOTAL__0" data_type: TYPE_FP32 dims: [ 1 ] },
  { name: "MASKED__1" data_type: TYPE_FP32 dims: [ 5 ] }
]
version_policy: { latest { num_versions: 1 } }
"""


_STATEFUL_CONFIG = """
name: "counted"
platform: "onnxruntime_onnx"
max_batch_size: 4
input [ { name: "x" data_type: TYPE_FP32 dims: [ 4, 16 ] } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ 4, 16 ] } ]
sequence_batching {
  max_sequence_idle_microseconds: 60000000
  oldest { max_candidate_sequences: 4 }
  control_input [
    { name: "START" control [ { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } ] }
  ]
}
"""


def save(path: Path, nodes: list[Any], x: Any, y: Any, constants: dict[str, Any]) -> Path:
    weights = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "g", [x], [y], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    return path


def floats(name: str, shape: list[Any]) -> Any:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def write_baked(path: Path, batch: int) -> Path:
    """Declares a batch that varies, and reshapes to one that does not."""
    node = helper.make_node("Reshape", ["x", "shape"], ["y"], name="flat")
    shape = np.array([batch, 4], np.int64)
    return save(path, [node], floats("x", ["batch", 2, 2]), floats("y", ["batch", 4]), {"shape": shape})


def write_positions(path: Path, longest: int) -> Path:
    """Adds one of `longest` positions to each token."""
    nodes = [
        helper.make_node("Shape", ["x"], ["size"], start=1, end=2),
        helper.make_node("Squeeze", ["size"], ["count"]),
        helper.make_node("Range", ["zero", "count", "one"], ["places"]),
        helper.make_node("Gather", ["table", "places"], ["positions"], name="positions"),
        helper.make_node("Add", ["x", "positions"], ["y"]),
    ]
    constants = {"zero": np.int64(0), "one": np.int64(1), "table": np.arange(longest, dtype=np.float32)}
    return save(path, nodes, floats("x", ["batch", "length"]), floats("y", ["batch", "length"]), constants)


def write_oddities(folder: Path) -> None:
    """Files that a run has something to say of: no values, random numbers, a batch or a length that is built in."""
    x, y = floats("x", ["batch", 3]), floats("y", ["batch", 3])
    none = {"start": np.array([0], np.int64), "axis": np.array([1], np.int64)}
    save(
        folder / "empty.onnx",
        [
            helper.make_node("Slice", ["x", "start", "start", "axis"], ["y"]),
        ],
        x,
        floats("y", ["batch", "count"]),
        none,
    )
    drawing = [
        helper.make_node("RandomNormalLike", ["x"], ["noise"], name="noise"),
        helper.make_node("Add", ["x", "noise"], ["y"]),
    ]
    save(folder / "drawing.onnx", drawing, x, y, {})
    write_baked(folder / "baked.onnx", 1)
    write_positions(folder / "positions.onnx", 300)


class _Mixer(torch.nn.Module):
    def forward(self, values: torch.Tensor, flags: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        masked = values * flags.to(values.dtype) - values
        return masked.sum(dim=1, keepdim=True), masked


def write_models(folder: Path) -> None:
    """A repository with an ONNX model in versions 1 and 3, a TorchScript model, the first with sequences and the second
    decoupled, and the ONNX file alone."""
    repository = folder / "repository"
    for version in ("1", "3"):
        path = repository / "normed" / version
        path.mkdir(parents=True)
        write_norms(path / "model.onnx", 0.001)
    (repository / "normed" / "config.pbtxt").write_text(_ONNX_CONFIG)
    path = repository / "counted" / "1"
    path.mkdir(parents=True)
    write_norms(path / "model.onnx", 0.001)
    (repository / "counted" / "config.pbtxt").write_text(_STATEFUL_CONFIG)
    for name, more in (("mixer", ""), ("streamed", "model_transaction_policy { decoupled: true }\n")):
        path = repository / name / "1"
        path.mkdir(parents=True)
        torch.jit.script(_Mixer().eval()).save(str(path / "model.pt"))
        config = _TORCH_CONFIG.replace('"mixer"', f'"{name}"') + more
        (repository / name / "config.pbtxt").write_text(config)
    write_norms(folder / "norms.onnx", 0.001)
    write_oddities(folder)


if __name__ == "__main__":
    write_models(Path(sys.argv[1]))

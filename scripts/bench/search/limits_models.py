"""A model of the bench of what limits a run: it reads 4 MB for a request and answers with one number.

Argument: the file to write."""

from __future__ import annotations

import sys
from pathlib import Path

import onnx
from onnx import TensorProto, helper

OPSET = 17
VALUES = 2**20


def main(file: Path) -> None:
    graph = helper.make_graph(
        [helper.make_node("ReduceMean", ["values"], ["result"], axes=[1], keepdims=1)],
        "taking",
        [helper.make_tensor_value_info("values", TensorProto.FLOAT, ["batch", VALUES])],
        [helper.make_tensor_value_info("result", TensorProto.FLOAT, ["batch", 1])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, str(file))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""The model of the search benches, for which batching pays. Argument: the file to write.

Images of 3 x 32 x 32 through a convolution and wide fully connected layers, 59 MB of seeded weights: a batch reads
them once. Alone, by one thread of ONNX Runtime (docs/benchmarks-search-48.md): batch 1 4.5 ms, 4 8.7, 8 11.2, 16 14.7.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
SIDE = 32
CHANNELS = 16
#: Of the convolution and the pooling that halve each side.
FLAT = CHANNELS * (SIDE // 4) ** 2
WIDTH = 2048
CLASSES = 64


def main(file: Path) -> None:
    rng = np.random.default_rng(0)

    def weights(name: str, *shape: int) -> onnx.TensorProto:
        scale = np.sqrt(np.prod(shape[1:]))
        return numpy_helper.from_array((rng.standard_normal(shape) / scale).astype(np.float32), name)

    layers = [
        ("wide0", FLAT, WIDTH),
        *((f"wide{at}", WIDTH, WIDTH) for at in (1, 2, 3)),
        ("last", WIDTH, CLASSES),
    ]
    nodes = [
        helper.make_node("Conv", ["image", "kernel"], ["edges"], pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("Relu", ["edges"], ["bent"]),
        helper.make_node("AveragePool", ["bent"], ["pooled"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["pooled"], ["flat"]),
    ]
    held = "flat"
    for name, _wide, _high in layers:
        last = name == "last"
        nodes.append(helper.make_node("Gemm", [held, name], ["classes" if last else f"{name}_sum"], transB=1))
        if not last:
            nodes.append(helper.make_node("Relu", [f"{name}_sum"], [f"{name}_out"]))
        held = f"{name}_out"
    graph = helper.make_graph(
        nodes,
        "wide",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, SIDE, SIDE])],
        [helper.make_tensor_value_info("classes", TensorProto.FLOAT, ["batch", CLASSES])],
        [weights("kernel", CHANNELS, 3, 3, 3), *(weights(name, high, wide) for name, wide, high in layers)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, str(file))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

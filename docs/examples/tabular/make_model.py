"""Writes model.onnx and samples.json. Input: eight features of a customer. Output: the probability of leaving.

Standardization and logistic regression in one graph, as a converter such as skl2onnx writes them. Run it with a Python
that has numpy and onnx: that of the workbench is ~/.local/share/triton-workbench/python/bin/python.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FEATURES = 8


def main() -> None:
    folder = Path(__file__).parent
    generator = np.random.default_rng(7)
    scale = generator.uniform(1, 50, FEATURES)
    rows = generator.normal(0, 1, (400, FEATURES)) * scale + scale
    weights = generator.normal(0, 1, (FEATURES, 1))
    arrays = {
        "mean": rows.mean(axis=0),
        "scale": rows.std(axis=0),
        "weights": weights,
        "bias": np.array([-0.5]),
    }
    graph = helper.make_graph(
        [
            helper.make_node("Sub", ["features", "mean"], ["centered"]),
            helper.make_node("Div", ["centered", "scale"], ["standard"]),
            helper.make_node("Gemm", ["standard", "weights", "bias"], ["logit"]),
            helper.make_node("Sigmoid", ["logit"], ["probability"]),
        ],
        "churn",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["batch", FEATURES])],
        [helper.make_tensor_value_info("probability", TensorProto.FLOAT, ["batch", 1])],
        [numpy_helper.from_array(value.astype(np.float32), name) for name, value in arrays.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, folder / "model.onnx")
    samples = {"features": np.round(rows[:64], 3).tolist()}
    (folder / "samples.json").write_text(json.dumps(samples) + "\n")


if __name__ == "__main__":
    main()

"""ONNX graph of a booster: its trees, and what its objective makes of their sums."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .forest import ML_OPSET, Forest, forest_node

INPUT = "input"
#: LightGBM takes what is nearer to 0 than this for 0.
_ZERO = 1e-35


class Booster(NamedTuple):
    """`link`: from sums to answers. `zero_missing`: columns of which 0 is a missing value too."""

    forest: Forest
    base: Sequence[float]
    link: str
    scale: float = 1.0
    zero_missing: Sequence[int] = ()

    @property
    def is_classifier(self) -> bool:
        return self.link in ("binary", "softmax", "one-vs-all")


class _Graph:
    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: Any, dtype: Any = np.float32) -> str:
        import onnx

        self.constants.append(onnx.numpy_helper.from_array(np.array(value, dtype=dtype), name))
        return name

    def add(self, operator: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        import onnx

        self.nodes.append(onnx.helper.make_node(operator, inputs, [output], **attributes))
        return output


def _rows(graph: _Graph, booster: Booster, columns: int) -> str:
    """The input as the trees compare it."""
    import onnx

    source = INPUT
    if booster.zero_missing:
        concerned = np.zeros((1, columns), dtype=np.bool_)
        concerned[0, list(booster.zero_missing)] = True
        near = graph.add("Less", [graph.add("Abs", [INPUT], "size"), graph.constant("zero", _ZERO)], "near")
        at = graph.add("And", [near, graph.constant("concerned", concerned, np.bool_)], "missing")
        source = graph.add("Where", [at, graph.constant("nan", np.nan), INPUT], "rows")
    if booster.forest.dtype is np.float64:
        source = graph.add("Cast", [source], "exact", to=onnx.TensorProto.DOUBLE)
    return source


def _binary(graph: _Graph, sums: str, scale: float) -> None:
    import onnx

    scaled = graph.add("Mul", [sums, graph.constant("scale", scale)], "scaled") if scale != 1 else sums
    positive = graph.add("Sigmoid", [scaled], "positive")
    negative = graph.add("Sub", [graph.constant("one", 1.0), positive], "negative")
    graph.add("Concat", [negative, positive], "probabilities", axis=1)
    above = graph.add("Greater", [positive, graph.constant("half", 0.5)], "above")
    graph.add("Cast", [above], "label", to=onnx.TensorProto.INT64)


def _classes(graph: _Graph, sums: str, booster: Booster) -> None:
    if booster.link == "softmax":
        graph.add("Softmax", [sums], "probabilities", axis=1)
    else:
        scaled = graph.add("Mul", [sums, graph.constant("scale", booster.scale)], "scaled")
        graph.add("Sigmoid", [scaled], "probabilities")
    graph.add("ArgMax", ["probabilities"], "label", axis=1, keepdims=1)


def _value(graph: _Graph, sums: str, booster: Booster) -> None:
    if booster.link == "square":
        squared = graph.add("Mul", [sums, sums], "squared")
        graph.add("Mul", [graph.add("Sign", [sums], "sign"), squared], "variable")
        return
    operator = {"identity": "Identity", "sigmoid": "Sigmoid", "exp": "Exp", "softplus": "Softplus"}
    graph.add(operator[booster.link], [sums], "variable")


def value_info(name: str, kind: int, width: int) -> Any:
    import onnx

    return onnx.helper.make_tensor_value_info(name, kind, ["batch_size_0", width])


def note(model: Any, facts: Mapping[str, Any]) -> None:
    """Names that the served file keeps: columns, categories, classes."""
    for name, value in facts.items():
        if value:
            model.metadata_props.add(key=name, value=value if isinstance(value, str) else json.dumps(value))


def booster_onnx(booster: Booster, columns: int, opset: int) -> Any:
    """Rows in; label and probabilities, or a value per group, out."""
    import onnx

    graph, forest = _Graph(), booster.forest
    source = _rows(graph, booster, columns)
    graph.nodes.append(forest_node(forest, booster.base, source, "sums"))
    if booster.link == "binary":
        _binary(graph, "sums", booster.scale)
    elif booster.is_classifier:
        _classes(graph, "sums", booster)
    else:
        _value(graph, "sums", booster)
    kinds = onnx.TensorProto
    outputs = [value_info("variable", kinds.FLOAT, forest.groups)]
    if booster.is_classifier:
        classes = 2 if booster.link == "binary" else forest.groups
        outputs = [value_info("label", kinds.INT64, 1), value_info("probabilities", kinds.FLOAT, classes)]
    imports = [
        onnx.helper.make_opsetid("", opset),
        onnx.helper.make_opsetid("ai.onnx.ml", ML_OPSET),
    ]
    return onnx.helper.make_model(
        onnx.helper.make_graph(
            graph.nodes,
            "booster",
            [value_info(INPUT, kinds.FLOAT, columns)],
            outputs,
            graph.constants,
        ),
        opset_imports=imports,
        ir_version=onnx.helper.find_min_ir_version_for(imports),
    )

"""Which operators of a model draw random numbers: of a model whose own outputs change from call to call."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

from ..batches import Tensors
from ..runners import Runner

_ALWAYS_RANDOM = {
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
    "Multinomial",
    "Bernoulli",
}
#: Of a list of operators for people.
_MOST_NAMED = 5


def _nodes(graph: Any) -> Iterator[Any]:
    """With those of the graphs in it."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _nodes(inner)


def _true_constants(model: Any) -> set[str]:
    """Names of the constants that are true."""
    from onnx import numpy_helper

    found = {item.name: item for item in model.graph.initializer}
    for node in _nodes(model.graph):
        if node.op_type == "Constant":
            found.update(
                (node.output[0], attribute.t) for attribute in node.attribute if attribute.name == "value"
            )
    # A flag has one value; weights may not even be loaded.
    flags = {
        name: item
        for name, item in found.items()
        if item.data_type == item.BOOL and list(item.dims) in ([], [1])
    }
    return {name for name, item in flags.items() if bool(numpy_helper.to_array(item).all())}


def onnx_random_operators(path: Path) -> list[str]:
    """As 'RandomNormal (node "noise")', in the order of the graph."""
    import onnx

    model = onnx.load(str(path), load_external_data=False)
    training = _true_constants(model)
    named = []
    for node in (item for graph in (model.graph, *model.functions) for item in _nodes(graph)):
        dropout = node.op_type == "Dropout" and len(node.input) > 2 and node.input[2] in training
        if node.op_type not in _ALWAYS_RANDOM and not dropout:
            continue
        what = "Dropout in training mode" if dropout else node.op_type
        named.append(what if node.name == "" else f'{what} (node "{node.name}")')
    return named[:_MOST_NAMED]


def _line_of(folder: Path) -> Optional[str]:
    """The line of the folder's code that is being executed: "model.py, line 12: x = self.drop(x)"."""
    root = str(folder.resolve())
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(root):
            text = linecache.getline(name, frame.f_lineno).strip()
            return f"{Path(name).name}, line {frame.f_lineno}: {text}"
        frame = frame.f_back
    return None


def torch_random_operators(runner: Runner, x: Tensors, folder: Path) -> list[str]:
    """Of one call of a model of PyTorch: lines of the folder's code, and names of operations where there are none."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    found: dict[str, None] = {}

    class Watching(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if torch.Tag.nondeterministic_seeded in func.tags:
                name = str(func).removeprefix("aten.").split(".")[0].rstrip("_")
                line = _line_of(folder)
                found[name if line is None else f"{name} ({line})"] = None
            return func(*args, **(kwargs or {}))

    watching: Any = Watching
    with watching():
        runner.run(x)
    return list(found)[:_MOST_NAMED]

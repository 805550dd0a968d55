"""What keeps a TorchScript graph on one device: loading moves parameters and buffers, never constants or sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

from .errors import ToolkitError

#: Of a scripted operation, and of a traced one: its frames, the innermost first.
_SCRIPTED = re.compile(r'File "([^"]+)", line (\d+)')
_TRACED = re.compile(r"^(\S.*)\((\d+)\): ", re.M)

#: Unlike arithmetic and comparisons, these take no single value of the CPU beside tensors of a GPU.
_OF_ONE_DEVICE = {
    f"aten::{name}"
    for name in (
        *("clamp", "clamp_", "clamp_min", "clamp_min_", "clamp_max", "clamp_max_"),
        *("cat", "stack", "gather", "scatter", "lerp", "addcmul", "addcdiv", "embedding", "index_select"),
    )
}


class DeviceConstant(NamedTuple):
    """`place`: file and line of the operation; empty where the graph does not hold them."""

    device: str
    operation: str
    place: str


def _nodes(block: Any) -> Iterator[Any]:
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            yield from _nodes(inner)


def _place(source: str, folder: Optional[Path]) -> str:
    """The innermost line of the model's own code; else of any code but PyTorch's."""
    frames = [*_SCRIPTED.findall(source), *_TRACED.findall(source)]
    own = [] if folder is None else [frame for frame in frames if frame[0].startswith(str(folder.resolve()))]
    other = [frame for frame in frames if "/torch/" not in frame[0] and not frame[0].startswith("code/")]
    for file, line in (own or other or frames)[:1]:
        return f"{file}, line {line}"
    return ""


def _is_tensor(value: Any) -> bool:
    return bool(value.type().kind() == "TensorType")


def _sizes(nodes: Sequence[Any]) -> set[str]:
    """Names of tensors that stay on the CPU: sizes in a trace, constants, and what is computed from them only."""
    names: set[str] = set()
    for node in nodes:
        tensors = [value for value in node.inputs() if _is_tensor(value)]
        computed = len(tensors) > 0 and all(value.debugName() in names for value in tensors)
        if node.kind() in ("prim::NumToTensor", "prim::Constant") or computed:
            names.update(value.debugName() for value in node.outputs() if _is_tensor(value))
    return names


def _mixed(nodes: Sequence[Any]) -> Iterator[Any]:
    """Operations that are given such a size beside a tensor of the model, and refuse it on a GPU."""
    sizes = _sizes(nodes)
    for node in nodes:
        if node.kind() not in _OF_ONE_DEVICE:
            continue
        given = [value.debugName() in sizes for value in _tensors(node)]
        if any(given) and not all(given):
            yield node


def _tensors(node: Any) -> Iterator[Any]:
    """What the node reads, with the members of its lists."""
    for value in node.inputs():
        if value.node().kind() == "prim::ListConstruct":
            yield from (member for member in value.node().inputs() if _is_tensor(member))
        elif _is_tensor(value):
            yield value


def device_constants(module: Any, folder: Optional[Path] = None) -> Iterator[DeviceConstant]:
    """Of the graph of forward, with all that it calls. `folder`: where the model's own code is."""
    nodes = list(_nodes(module.inlined_graph))
    for node in _mixed(nodes):
        yield DeviceConstant("cpu", node.kind(), _place(node.sourceRange(), folder))
    for node in nodes:
        if node.kind() != "prim::Constant" or node.output().type().kind() != "DeviceObjType":
            continue
        for use in node.output().uses():
            source = use.user.sourceRange() or node.sourceRange()
            yield DeviceConstant(str(node.output().toIValue()), use.user.kind(), _place(source, folder))


def require_free_device(module: Any, code: str, where: str, folder: Optional[Path] = None) -> None:
    """Throws an error of this code, naming the source line, where the graph holds a device."""
    found = list(device_constants(module, folder))
    if not found:
        return
    first = found[0]
    raise ToolkitError(
        code,
        f'{first.operation} has the fixed device "{first.device}" in the TorchScript graph, so the model '
        "cannot run on another one",
        where=first.place or where,
        remedy="Slice or index a buffer instead of creating a tensor in forward: buffers move with the model. A size "
        "like x.size(1) becomes a tensor of the CPU in a trace: clamp with a buffer instead. In a scripted model, "
        "device=x.device of an input and sizes work too.",
        details="\n".join(
            f"{one.operation}, device {one.device}, {one.place or 'source unknown'}" for one in found
        ),
    )

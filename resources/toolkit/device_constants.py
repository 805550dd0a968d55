"""A device that a TorchScript graph holds as a constant: loading moves parameters and buffers, never constants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Optional

from .errors import ToolkitError

#: Of a scripted operation, and of a traced one: its frames, the innermost first.
_SCRIPTED = re.compile(r'File "([^"]+)", line (\d+)')
_TRACED = re.compile(r"^(\S.*)\((\d+)\): ", re.M)


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


def device_constants(module: Any, folder: Optional[Path] = None) -> Iterator[DeviceConstant]:
    """Of the graph of forward, with all that it calls. `folder`: where the model's own code is."""
    for node in _nodes(module.inlined_graph):
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
        remedy="Slice or index a buffer instead of creating a tensor in forward: buffers move with the model. In a "
        "scripted model, device=x.device of an input works too.",
        details="\n".join(
            f"{one.operation}, device {one.device}, {one.place or 'source unknown'}" for one in found
        ),
    )

"""What forward returns, as a list of outputs: a tensor, a tuple or list of tensors, or an object that names them (a
dict, a dataclass, a NamedTuple, an output of transformers).
"""

from __future__ import annotations

import dataclasses
import importlib.abc
import importlib.util
import itertools
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from .errors import ToolkitError

if TYPE_CHECKING:
    import torch

#: Each generated module has a name of its own: sources are remembered by it.
_numbers = itertools.count()


class Returned(NamedTuple):
    """`access`: how code takes each output from the value; None where the value is one already."""

    values: list[Any]
    access: Optional[list[str]]


def _named(value: Any) -> Optional[dict[str, tuple[str, Any]]]:
    """By name: how code takes it, and the value. None where nothing has a name."""
    if isinstance(value, Mapping):
        return {str(key): (f"[{key!r}]", item) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        names = list(value._fields)
    else:
        return None
    return {name: (f".{name}", getattr(value, name)) for name in names}


def _refuse(value: Any, found: Mapping[str, tuple[str, Any]], outputs: Sequence[str]) -> ToolkitError:
    missing = [name for name in outputs if name not in found]
    tensors = [f'"{name}"' for name, (_, item) in found.items() if hasattr(item, "shape")]
    return ToolkitError(
        "model-folder-invalid",
        f"The model returns no {' and no '.join(missing)}: its {type(value).__name__} has the keys "
        f"{', '.join(found) or '(none)'}",
        where="model.py",
        remedy=f'Let get_model name the outputs by these keys: {{"outputs": [{", ".join(tensors)}]}}, or some of them; '
        "the same names are under signature.outputs of preset.yaml."
        if tensors
        else "Return a tensor for each output.",
    )


def returned(value: Any, outputs: Sequence[str]) -> Returned:
    """The outputs in the order of their names. Throws model-folder-invalid where they cannot be told."""
    found = _named(value)
    is_tuple = isinstance(value, tuple)
    if found is not None and all(name in found for name in outputs):
        return Returned([found[name][1] for name in outputs], [found[name][0] for name in outputs])
    if found is not None and not is_tuple:
        raise _refuse(value, found, outputs)
    values = list(value) if isinstance(value, (tuple, list)) else [value]
    if len(values) != len(outputs):
        raise ToolkitError(
            "model-folder-invalid",
            f"The model returns {len(values)} outputs but names {len(outputs)}",
            where="model.py",
            remedy="Let get_model name each output, in the order of forward, and preset.yaml under signature.outputs.",
        )
    # Of a NamedTuple with other names the order counts, as of every tuple.
    return Returned(values, None if found is None else [f"[{index}]" for index in range(len(values))])


class _Loader(importlib.abc.SourceLoader):
    """Of source that no file holds: TorchScript reads the text of what it compiles."""

    def __init__(self, source: str) -> None:
        self._source = source.encode()

    def get_filename(self, fullname: str) -> str:
        return f"{fullname}.py"

    def get_data(self, path: str) -> bytes:
        del path
        return self._source


def plain_module(module: torch.nn.Module, inputs: int, access: Sequence[str]) -> torch.nn.Module:
    """The module in one that returns a tensor or a tuple of tensors, as files of every format do.

    `inputs`: how many it takes; `access`: see Returned.
    """
    names = ", ".join(f"input_{index}" for index in range(inputs))
    source = f"""import torch


class PlainOutputs(torch.nn.Module):
    def __init__(self, inner: torch.nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, {names}):
        value = self.inner({names})
        return {", ".join(f"value{each}" for each in access)}
"""
    name = f"_plain_outputs_{next(_numbers)}"
    spec = importlib.util.spec_from_loader(name, _Loader(source))
    assert spec is not None and spec.loader is not None
    generated = importlib.util.module_from_spec(spec)
    sys.modules[name] = generated
    spec.loader.exec_module(generated)
    wrapped: torch.nn.Module = generated.PlainOutputs(module)
    return wrapped.train(module.training)

"""What is known of a format of model files."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional

from ..batches import Tensors
from ..report import Report
from ..runners import Runner
from ..signature import Signature

if TYPE_CHECKING:
    import torch


class Export(NamedTuple):
    """What a model's file is written from. `model`: a LoadedModel of PyTorch, or a KerasModel."""

    model: Any
    example: Tensors
    signature: Signature
    parameters: int
    folder: Path
    #: Of the verb: `opset`, `device`.
    options: argparse.Namespace

    def arguments(self) -> tuple[torch.Tensor, ...]:
        """The example as a PyTorch model takes it."""
        import torch

        return tuple(torch.from_numpy(self.example[name].copy()) for name in self.model.inputs)


class Conversion(NamedTuple):
    """`foreign`: the source is a file of any origin, which its runtime judges and no checker."""

    source: Path
    target: Path
    precision: str
    foreign: bool
    report: Report


class Converted(NamedTuple):
    signature: Signature
    parameters: Optional[int]
    opset: Optional[int] = None


class ModelFormat(NamedTuple):
    """One kind of model file, from fp32 weights."""

    #: By framework, what writes a file. Throws model-folder-invalid.
    write: Mapping[str, Callable[[Export, Path], None]]
    #: What runs a file that was written; the text is the device, "cpu" or "auto".
    open: Callable[[Path, Signature, str], Runner]
    #: fp32: a checked copy; fp16: inputs and outputs become float16 too. Throws input-invalid, combination-unsupported.
    convert: Callable[[Conversion], Converted]
    is_folder: bool = False

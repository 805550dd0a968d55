"""Names, datatypes and shapes of a model's inputs and outputs; -1 where a dimension varies."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Callable, Optional

from .batches import Array, Batch, Tensors, cut
from .datatypes import triton_datatype
from .errors import ToolkitError
from .files import size_bytes
from .report import Report, bytes_text

#: Batches looked at to find out which dimensions vary.
_SCANNED_BATCHES = 100
#: Differently shaped batches that the model is run on to find out which dimensions of its outputs vary.
_OUTPUT_PROBES = 4


@dataclass(frozen=True)
class Tensor:
    """One input or output; the batch dimension is the first."""

    name: str
    datatype: str
    shape: list[int]
    #: Of a tensor that has no batch axis in the model: its shape there; `shape` has a leading 1 more.
    reshape: Optional[list[int]] = None


@dataclass(frozen=True)
class Signature:
    inputs: list[Tensor]
    outputs: list[Tensor]

    def fields(self) -> dict[str, Any]:
        return {
            side: [
                {key: value for key, value in asdict(item).items() if value is not None} for item in tensors
            ]
            for side, tensors in (("inputs", self.inputs), ("outputs", self.outputs))
        }

    def to_json(self) -> str:
        return json.dumps(self.fields())


def parse_signature(text: str | bytes) -> Signature:
    """The counterpart of `Signature.to_json`."""
    value = json.loads(text)
    return Signature(
        [Tensor(**tensor) for tensor in value["inputs"]], [Tensor(**tensor) for tensor in value["outputs"]]
    )


def _merged(name: str, arrays: Sequence[Array]) -> Tensor:
    ranks = {array.ndim for array in arrays}
    types = {array.dtype for array in arrays}
    if len(ranks) != 1 or len(types) != 1:
        raise ToolkitError(
            "model-folder-invalid",
            f"{name} does not have the same number of axes and the same type in all batches",
        )
    if 0 in ranks:
        raise ToolkitError("model-folder-invalid", f"{name} has no batch dimension")
    dims = [sizes[0] if len(set(sizes)) == 1 else -1 for sizes in zip(*(array.shape for array in arrays))]
    return Tensor(name, triton_datatype(arrays[0].dtype), [-1, *dims[1:]])


def find_signature(
    batches: Iterable[Batch], input_names: Sequence[str], run: Callable[[Tensors], Tensors]
) -> tuple[Signature, Batch]:
    """The signature, and an example of one or two samples. `run` is the model on numpy arrays."""
    seen: dict[tuple[Any, ...], Batch] = {}
    shapes: list[Tensors] = []
    for batch in itertools.islice(batches, _SCANNED_BATCHES):
        absent = [name for name in input_names if name not in batch.x]
        if absent:
            raise ToolkitError(
                "model-folder-invalid",
                f"The model's input {absent[0]} is not among the loader's: {', '.join(batch.x)}",
                where="model.py, dataloader.py",
            )
        # Values are not kept: one sample a batch tells the shape.
        shapes.append({name: batch.x[name][:1].copy() for name in input_names})
        seen.setdefault(tuple(batch.x[name].shape[1:] for name in input_names), cut(batch, 2))
    examples = list(seen.values())
    results = [run(example.x) for example in examples[:_OUTPUT_PROBES]]
    inputs = [_merged(name, [tensors[name] for tensors in shapes]) for name in input_names]
    outputs = [_merged(name, [result[name] for result in results]) for name in results[0]]
    return Signature(inputs, outputs), examples[0]


def widened(found: Signature, declared: Signature) -> Signature:
    """The axes that are declared to vary do, whatever the samples have."""

    def side(tensors: list[Tensor], wanted: list[Tensor]) -> list[Tensor]:
        shapes = {tensor.name: tensor.shape for tensor in wanted}
        return [
            replace(tensor, shape=[-1 if said == -1 else size for size, said in zip(tensor.shape, shape)])
            if (shape := shapes.get(tensor.name)) is not None and len(shape) == len(tensor.shape)
            else tensor
            for tensor in tensors
        ]

    return Signature(side(found.inputs, declared.inputs), side(found.outputs, declared.outputs))


def artefact_fields(
    path: Path, signature: Signature, parameters: Optional[int], opset: Optional[int], report: Report
) -> dict[str, Any]:
    """The result of a verb that writes a model file, or folder; facts for people on the way."""
    size = size_bytes(path)
    if parameters is not None:
        report.fact("Parameters", f"{parameters:,}")
    report.fact("Model file", f"{path.name}, {bytes_text(size)}")
    for title, tensors in (("Input", signature.inputs), ("Output", signature.outputs)):
        for tensor in tensors:
            report.fact(title, f"{tensor.name} {tensor.datatype} {tensor.shape}")
    if opset is not None:
        report.fact("ONNX opset", str(opset))
    fields = {"path": str(path), "bytes": size, "parameters": parameters, **signature.fields()}
    return fields if opset is None else {**fields, "opset": opset}

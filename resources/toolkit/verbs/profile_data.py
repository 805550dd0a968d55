"""Request payloads for the load tools: one raw little-endian file a sample and input."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import numpy as np

from ..batches import Array, Batches, Tensors
from ..datatypes import is_of, numpy_dtype
from ..errors import ToolkitError
from ..files import replacing
from ..model_folder import ModelFolder
from ..options import add_model_arguments, assignment, at_least
from ..report import Report, bytes_text
from ..signature import Tensor
from ..texts import made_texts, raw_bytes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument("--mode", required=True, choices=("random", "zero", "dataset"))
    parser.add_argument("--count", type=at_least(1), default=8, help="samples")
    parser.add_argument(
        "--lengths",
        type=_lengths,
        help='of samples that differ in length: "12,30,7", or dataset for their own',
    )
    parser.add_argument(
        "--padding", type=assignment, action="append", default=[], metavar="NAME=VALUE",
        help="value behind the end of a shorter sample of this input in a request of several",
    )  # fmt: skip
    parser.add_argument(
        "--signature", required=True, help='JSON: [{"name", "datatype", "shape"}], batch dimension first'
    )
    parser.add_argument(
        "--output-dir", type=Path, required=True, help="may hold other files; input-data.json comes last"
    )


def _lengths(text: str) -> list[int]:
    """Empty: each sample of the data set has its own."""
    if text == "dataset":
        return []
    return [at_least(1)(part) for part in text.split(",")]


def _paddings(given: list[tuple[str, str]]) -> dict[str, int]:
    try:
        return {name: int(value) for name, value in given}
    except ValueError as error:
        raise ToolkitError("input-invalid", f"not an integer: {error}", where="--padding") from error


def _signature(text: str) -> list[Tensor]:
    try:
        tensors = [
            Tensor(str(t["name"]), str(t["datatype"]), [int(d) for d in t["shape"]]) for t in json.loads(text)
        ]
    except (ValueError, TypeError, KeyError) as error:
        raise ToolkitError("input-invalid", f"not a list of inputs: {error}", where="--signature") from error
    if not tensors or any(not tensor.shape for tensor in tensors):
        raise ToolkitError("input-invalid", "every input needs a batch dimension", where="--signature")
    return tensors


def _check(tensor: Tensor, sample: Array) -> None:
    wanted = tensor.shape[1:]
    fits = len(wanted) == sample.ndim and all(a in (-1, b) for a, b in zip(wanted, sample.shape))
    if not fits or not is_of(sample.dtype, tensor.datatype):
        raise ToolkitError(
            "model-mismatch",
            f"The loader returns {tensor.name} as {sample.dtype} {list(sample.shape)}, but the model expects "
            f"{tensor.datatype} {wanted}",
            where=tensor.name,
            remedy="Set the precision of the model with --precision.",
        )


def _from_dataset(
    folder: ModelFolder, tensors: list[Tensor], limit: int, lengths: Optional[list[int]] = None
) -> Iterator[Tensors]:
    # A loader whose samples differ in shape gives load tools, which send one shape, what `purpose` tells it to; with
    # `lengths` one sample in a batch.
    for batch in Batches(folder, limit, purpose="load", lengths=lengths):
        for index in range(len(batch.ids)):
            sample = {}
            for tensor in tensors:
                if tensor.name not in batch.x:
                    raise ToolkitError(
                        "model-mismatch", f"The loader does not return {tensor.name}", where=tensor.name
                    )
                sample[tensor.name] = batch.x[tensor.name][index]
                _check(tensor, sample[tensor.name])
            yield sample


def _shapes(folder: ModelFolder, tensors: list[Tensor], has_dataset: bool) -> dict[str, list[int]]:
    """Sample shapes; where a dimension varies, that of the data set's first sample."""
    if all(-1 not in tensor.shape[1:] for tensor in tensors):
        return {tensor.name: tensor.shape[1:] for tensor in tensors}
    if not has_dataset:
        raise ToolkitError(
            "input-invalid",
            "The signature has dynamic dimensions, whose sizes come from a data set",
            where="--signature",
            remedy="Use --dataset, or replace -1 in the signature with sizes.",
        )
    first = next(_from_dataset(folder, tensors, 1))
    return {name: list(array.shape) for name, array in first.items()}


def _made(
    mode: str,
    tensors: list[Tensor],
    shapes: dict[str, list[int]],
    ranges: dict[str, tuple[int, int]],
    count: int,
    seed: int,
) -> Iterator[Tensors]:
    """`ranges`: of integers, lowest value and first above it."""
    generator = np.random.default_rng(seed)
    for _ in range(count):
        sample: Tensors = {}
        for tensor in tensors:
            dtype, shape = numpy_dtype(tensor.datatype), shapes[tensor.name]
            if mode == "zero":
                sample[tensor.name] = np.zeros(shape, dtype=dtype)
            elif dtype.kind == "U":
                sample[tensor.name] = made_texts(generator, tuple(shape))
            elif dtype.kind == "f":
                sample[tensor.name] = generator.random(shape, dtype=np.float32).astype(dtype)
            else:
                # 0 and 1 are valid for flags, categories and token numbers of any model.
                low, high = ranges.get(tensor.name, (0, 2))
                sample[tensor.name] = generator.integers(low, high, shape).astype(dtype)
        yield sample


def _length_text(lengths: list[int]) -> str:
    low, p50, p95, high = (
        int(value) for value in np.percentile(lengths, [0, 50, 95, 100], method="inverted_cdf")
    )
    if low == high:
        return f"{low} ({len(lengths)} samples)"
    return f"{low} to {high}, {p50} at p50, {p95} at p95 ({len(lengths)} samples)"


class _Writer:
    """Files of the samples, and what the manifest says of them."""

    def __init__(self, directory: Path, tensors: list[Tensor], paddings: Optional[dict[str, int]]) -> None:
        """`paddings`: of inputs whose samples may differ in length; None: all have one shape."""
        self._directory = directory
        self._tensors = tensors
        self._paddings = paddings
        self._files: dict[str, list[str]] = {tensor.name: [] for tensor in tensors}
        self._shapes: dict[str, list[list[int]]] = {tensor.name: [] for tensor in tensors}
        self.bytes = 0

    def add(self, sample: Tensors) -> None:
        for position, (name, array) in enumerate(sample.items()):
            shapes, files = self._shapes[name], self._files[name]
            shapes.append(list(array.shape))
            if self._paddings is None and shapes[0] != shapes[-1]:
                raise ToolkitError(
                    "input-invalid", f"{name} has samples of different shapes: {shapes[0]} and {shapes[-1]}"
                )
            raw = raw_bytes(array)
            plain = re.sub(r"[^A-Za-z0-9_.-]", "_", name)
            files.append(f"{position}-{plain}-{len(files):06d}.bin")
            with replacing(self._directory / files[-1]) as partial:
                partial.write_bytes(raw)
            self.bytes += len(raw)

    def _entry(self, tensor: Tensor) -> dict[str, Any]:
        shapes, files = self._shapes[tensor.name], self._files[tensor.name]
        entry: dict[str, Any] = {"name": tensor.name, "datatype": tensor.datatype, "shape": shapes[0]}
        if any(shape != shapes[0] for shape in shapes):
            entry["shapes"] = shapes
            if tensor.name in (self._paddings or {}):
                entry["padding"] = (self._paddings or {})[tensor.name]
        return {**entry, "files": files}

    def entries(self) -> list[dict[str, Any]]:
        return [self._entry(tensor) for tensor in self._tensors]

    def lengths(self) -> list[int]:
        """Of the samples, along the axis in which they may differ."""
        name = next(iter(self._paddings or {}), self._tensors[0].name)
        return [shape[0] for shape in self._shapes[name]]


def run(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    folder = ModelFolder.from_options(options)
    tensors = _signature(options.signature)
    report.progress(0.0, f"Writing {options.mode} input data")
    if options.mode == "dataset":
        samples = _from_dataset(folder, tensors, options.count, options.lengths)
    else:
        shapes = _shapes(folder, tensors, options.dataset is not None)
        ranges = folder.call("input_ranges") if folder.has("input_ranges") else {}
        samples = _made(options.mode, tensors, shapes, ranges, options.count, options.seed)
    directory: Path = options.output_dir
    directory.mkdir(parents=True, exist_ok=True)
    writer = _Writer(directory, tensors, None if options.lengths is None else _paddings(options.padding))
    count = 0
    for sample in samples:
        writer.add(sample)
        count += 1
        report.progress(count / options.count, f"{count} samples")
    manifest = {"source": options.mode, "tensors": writer.entries()}
    # Last: without it the other files are nothing.
    with replacing(directory / "input-data.json") as partial:
        partial.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    if options.mode == "dataset" and count < options.count and options.lengths is None:
        report.warning(f"The data set has only {count} samples; requests cycle through them")
    report.fact("Input data", f"{options.mode}, {count} samples, {bytes_text(writer.bytes)}")
    if options.lengths is not None:
        report.fact("Lengths", _length_text(writer.lengths()))
    return {"source": options.mode, "count": count, "bytes": writer.bytes}

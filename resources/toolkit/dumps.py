"""Dumps: `<prefix>-<index>.npz`, index = samples written before, 12 digits; prefixes ids, inputs, labels, outputs.

A reference dump may hold `lengths.json`: outputs whose last axis is valid up to what another output says, by names;
null for those that were computed without the padding of their batch, and end where the reference ends.
Samples of one file that differ in their last axes are padded with NaN to the largest. Beside such a file
stands `<prefix>_shapes-<index>.npz` with each sample's own shape, so that padding and real NaN can be told apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np

from .batches import Array, Tensors
from .errors import ToolkitError
from .files import replacing

LENGTHS_FILE = "lengths.json"
Lengths = dict[str, Optional[str]]
FLUSH_BYTES = 256 * 1024 * 1024
_FILE = re.compile(r"-(\d{12})\.npz$")


class Dump(NamedTuple):
    """One file. `shapes`: per tensor [samples, axes] without the sample axis, only where there is padding."""

    tensors: Tensors
    shapes: Tensors


def _has_nan(array: Array) -> bool:
    return array.dtype.kind in "fc" and bool(np.isnan(array).any())


def join_padded(arrays: Sequence[Array], name: str) -> tuple[Array, Array | None]:
    """Joins along axis 0; where other axes differ, pads with NaN and gives each sample's shape as well."""
    ranks = {array.ndim for array in arrays}
    if len(ranks) != 1:
        raise ToolkitError("model-folder-invalid", f"{name} has batches with different numbers of axes")
    tails = [array.shape[1:] for array in arrays]
    if len(set(tails)) == 1:
        return np.concatenate(arrays), None
    if arrays[0].dtype.kind not in "fiub":
        raise ToolkitError("model-folder-invalid", f"{name}: samples of different shapes must be numbers")
    largest = tuple(max(sizes) for sizes in zip(*tails))
    kind = np.result_type(*arrays)
    # Integers have no NaN.
    dtype = kind if kind.kind == "f" else np.dtype(np.float64)
    count = sum(array.shape[0] for array in arrays)
    joined = np.full((count, *largest), np.nan, dtype=dtype)
    start = 0
    for array in arrays:
        region = (slice(start, start + array.shape[0]), *(slice(0, size) for size in array.shape[1:]))
        joined[region] = array
        start += array.shape[0]
    return joined, np.concatenate([np.tile(tail, (len(array), 1)) for tail, array in zip(tails, arrays)])


class DumpWriter:
    """Collects batches and writes them in files of about 256 MiB."""

    def __init__(self, directory: Path, flush_bytes: int = FLUSH_BYTES) -> None:
        self._directory = directory
        self._flush_bytes = flush_bytes
        self._held: dict[str, list[Tensors]] = {}
        self._held_bytes = 0
        self._written: dict[str, int] = {}

    def write(self, ids: Sequence[str], **prefixes: Mapping[str, Array]) -> None:
        """One batch; throws input-invalid for NaN in inputs or labels, model-folder-invalid for unequal lengths."""
        batch: dict[str, Tensors] = {"ids": {"ids": np.asarray(list(ids), dtype=np.str_)}}
        batch.update({prefix: dict(tensors) for prefix, tensors in prefixes.items()})
        for prefix, tensors in batch.items():
            for name, array in tensors.items():
                if array.shape[:1] != (len(ids),):
                    raise ToolkitError(
                        "model-folder-invalid",
                        f"{prefix} {name} has the shape {list(array.shape)} for {len(ids)} samples",
                    )
                # NaN marks padding there, and a model can make nothing of it.
                if prefix in ("inputs", "labels") and _has_nan(array):
                    sample = next(i for i, value in zip(ids, array) if _has_nan(value))
                    raise ToolkitError(
                        "input-invalid",
                        f"{prefix} {name} of the sample {sample} contains NaN",
                        where="dataloader.py",
                        remedy="Remove the sample from the data set, or fix the loader.",
                    )
            if tensors:
                self._held.setdefault(prefix, []).append(tensors)
                self._held_bytes += sum(array.nbytes for array in tensors.values())
        if self._held_bytes >= self._flush_bytes:
            self.flush()

    def flush(self) -> None:
        """Writes what is held."""
        for prefix, batches in self._held.items():
            index = self._written.get(prefix, 0)
            joined = {
                name: join_padded([batch[name] for batch in batches], f"{prefix} {name}")
                for name in batches[0]
            }
            _save(
                self._directory / f"{prefix}-{index:012d}.npz",
                {name: data for name, (data, _) in joined.items()},
            )
            shapes = {name: shape for name, (_, shape) in joined.items() if shape is not None}
            if shapes:
                _save(self._directory / f"{prefix}_shapes-{index:012d}.npz", shapes)
            self._written[prefix] = index + len(next(iter(joined.values()))[0])
        self._held = {}
        self._held_bytes = 0


def _save(path: Path, arrays: Tensors) -> None:
    with replacing(path) as partial, partial.open("wb") as file:
        save: Any = np.savez
        save(file, **arrays)


def dump_files(directory: Path, prefix: str) -> list[Path]:
    """Files of a prefix in order; throws input-invalid when there is no such folder."""
    if not directory.is_dir():
        raise ToolkitError(
            "input-invalid", f"The dump folder {directory} does not exist", where=str(directory)
        )
    found = [path for path in directory.glob(f"{prefix}-*.npz") if _FILE.search(path.name) is not None]
    return sorted(found)


def read_dumps(directory: Path, prefix: str) -> Iterator[Dump]:
    """The files of a prefix one by one. Throws input-invalid when one is damaged or one is missing between."""
    expected = 0
    for path in dump_files(directory, prefix):
        match = _FILE.search(path.name)
        if match is None or int(match.group(1)) != expected:
            raise ToolkitError(
                "input-invalid", f"The samples from {expected} on are missing", where=str(path)
            )
        tensors = _load(path)
        shapes_path = path.with_name(f"{prefix}_shapes-{expected:012d}.npz")
        yield Dump(tensors, _load(shapes_path) if shapes_path.exists() else {})
        expected += len(next(iter(tensors.values())))


def _load(path: Path) -> Tensors:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except Exception as error:
        raise ToolkitError(
            "input-invalid", f"The dump file cannot be read: {error}", where=str(path)
        ) from error


def write_lengths(directory: Path, lengths: Mapping[str, Optional[str]]) -> None:
    """Nothing where no output has a valid length of its own."""
    if lengths:
        with replacing(directory / LENGTHS_FILE) as partial:
            partial.write_text(json.dumps(dict(lengths)) + "\n", encoding="utf-8")


def read_lengths(directory: Path) -> Lengths:
    """Empty where the dump says none. Throws input-invalid when the file is damaged."""
    path = directory / LENGTHS_FILE
    if not path.exists():
        return {}
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): None if other is None else str(other) for name, other in held.items()}
    except (ValueError, AttributeError) as error:
        raise ToolkitError(
            "input-invalid", f"The dump file cannot be read: {error}", where=str(path)
        ) from error


def read_samples(directory: Path) -> Iterator[tuple[str, Tensors]]:
    """Id and outputs of one sample after the other, each output without its padding."""
    ids = read_dumps(directory, "ids")
    for dump in read_dumps(directory, "outputs"):
        names = next(ids).tensors["ids"]
        for index, name in enumerate(names):
            outputs = {}
            for output, array in dump.tensors.items():
                sample = array[index]
                shape = dump.shapes.get(output)
                if shape is not None:
                    sample = sample[tuple(slice(0, int(size)) for size in shape[index])]
                # Triton knows no sample without dimensions: [n] is served as [n, 1].
                outputs[output] = sample.reshape(1) if sample.ndim == 0 else sample
            yield str(name), outputs


def read_all(directory: Path, prefix: str) -> Tensors:
    """All samples of a prefix, padded over all files; empty when the prefix was not dumped."""
    files = [dump.tensors for dump in read_dumps(directory, prefix)]
    if not files:
        return {}
    return {
        name: join_padded([tensors[name] for tensors in files], f"{prefix} {name}")[0] for name in files[0]
    }

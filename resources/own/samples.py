"""Samples of a model that is a file: made by datatype and shape, or read from an npz or JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toolkit.datatypes import numpy_dtype
from toolkit.errors import ToolkitError

Array = npt.NDArray[Any]
Tensors = dict[str, Array]

#: Of the generated data set, which is held in memory while it is written.
_LARGEST_BYTES = 256 * 1024 * 1024


class Input(NamedTuple):
    """One input. `shape`: of one generated sample; `dims`: what a sample must fit, -1 where it varies."""

    name: str
    datatype: str
    shape: list[int]
    dims: list[int]


def parse_inputs(text: str) -> list[Input]:
    """Of `[{"name", "datatype", "shape", "dims"}]`, the shapes without the batch axis."""
    return [Input(item["name"], item["datatype"], item["shape"], item["dims"]) for item in json.loads(text)]


def parse_ranges(texts: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Of "NAME:LOW:HIGH": lowest value and first above it, by input. Raises ValueError."""
    found = {}
    for text in texts:
        name, *numbers = text.rsplit(":", 2)
        try:
            low, high = (int(number) for number in numbers)
        except ValueError:
            low = high = 0
        if name == "" or low >= high:
            raise ValueError(f'ranges must have entries as "input_ids:0:30522", not "{text}"')
        found[name] = (low, high)
    return found


def make_samples(
    inputs: list[Input], count: int, seed: int, ranges: Mapping[str, tuple[int, int]]
) -> Tensors:
    """[count, *shape] for each input: fractions for floats; integers of the input's range, else 0 or 1, which is valid
    for any token or flag.
    """
    generator = np.random.default_rng(seed)
    size = sum(int(np.prod(item.shape)) * numpy_dtype(item.datatype).itemsize for item in inputs)
    kept = max(1, min(count, _LARGEST_BYTES // max(1, size)))
    made: Tensors = {}
    for item in inputs:
        dtype, shape = numpy_dtype(item.datatype), (kept, *item.shape)
        if dtype.kind == "f":
            made[item.name] = generator.random(shape, dtype=np.float32).astype(dtype)
        else:
            low, high = ranges.get(item.name, (0, 2))
            made[item.name] = generator.integers(low, high, shape).astype(dtype)
    return made


def _refuse(path: Path, message: str) -> ToolkitError:
    return ToolkitError(
        "input-invalid",
        f"{path.name}: {message}",
        where=str(path),
        remedy="Use an npz file with one array per input and the samples along the first axis, or a JSON object "
        "of lists in the same way.",
    )


def _read_file(path: Path) -> dict[str, Any]:
    try:
        if path.suffix.lower() == ".npz":
            with np.load(path, allow_pickle=False) as archive:
                return {str(name): archive[name] for name in archive.files}
        value = json.loads(path.read_text(encoding="utf-8"))
    except Exception as error:
        raise _refuse(path, f"cannot be read ({error})") from error
    if not isinstance(value, dict):
        raise _refuse(path, f"contains a {type(value).__name__}, not an object with an entry for each input")
    return value


def read_samples(path: Path, inputs: list[Input]) -> Tensors:
    """Checked against the inputs; numbers take the datatype of the input. Throws input-invalid."""
    given = _read_file(path / "samples.npz" if path.is_dir() else path)
    found: Tensors = {}
    for item in inputs:
        if item.name not in given:
            raise _refuse(path, f"has no {item.name}; it has {', '.join(given) or 'nothing'}")
        try:
            array = np.asarray(given[item.name])
            if array.dtype.kind not in "biuf":
                raise ValueError(f"{array.dtype} is not numeric")
            array = array.astype(numpy_dtype(item.datatype))
        except (ValueError, TypeError) as error:
            raise _refuse(path, f"{item.name} cannot be converted to {item.datatype} ({error})") from error
        shape = list(array.shape[1:])
        fits = array.ndim == len(item.dims) + 1 and all(a in (-1, b) for a, b in zip(item.dims, shape))
        if not fits:
            raise _refuse(
                path, f"samples of {item.name} have the shape {shape}, the model expects {item.dims}"
            )
        found[item.name] = array
    counts = {name: len(array) for name, array in found.items()}
    if len(set(counts.values())) != 1 or 0 in counts.values():
        raise _refuse(path, f"every input needs the same number of samples, at least one, not {counts}")
    return found

"""Samples of a model that is a file: made by datatype and shape, or read from an npz or JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toolkit.datatypes import numpy_dtype
from toolkit.samples import read_file, refuse_file
from toolkit.texts import MOST_WORDS, made_texts

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


def _largest_item(dtype: np.dtype[Any]) -> int:
    """Of text a word is up to ten letters of four bytes each."""
    return 40 * MOST_WORDS if dtype.kind == "U" else int(dtype.itemsize)


def make_samples(
    inputs: list[Input], count: int, seed: int, ranges: Mapping[str, tuple[int, int]]
) -> Tensors:
    """[count, *shape] for each input: fractions for floats; texts of different lengths; integers of the input's range,
    else 0 or 1, which is valid for any token or flag.
    """
    generator = np.random.default_rng(seed)
    size = sum(int(np.prod(item.shape)) * _largest_item(numpy_dtype(item.datatype)) for item in inputs)
    kept = max(1, min(count, _LARGEST_BYTES // max(1, size)))
    made: Tensors = {}
    for item in inputs:
        dtype, shape = numpy_dtype(item.datatype), (kept, *item.shape)
        if dtype.kind == "U":
            made[item.name] = made_texts(generator, shape)
        elif dtype.kind == "f":
            made[item.name] = generator.random(shape, dtype=np.float32).astype(dtype)
        else:
            low, high = ranges.get(item.name, (0, 2))
            made[item.name] = generator.integers(low, high, shape).astype(dtype)
    return made


def read_samples(path: Path, inputs: list[Input]) -> Tensors:
    """Checked against the inputs; numbers take the datatype of the input. Throws input-invalid."""
    given = read_file(path / "samples.npz" if path.is_dir() else path)
    found: Tensors = {}
    for item in inputs:
        if item.name not in given:
            held = ", ".join(given) or "nothing"
            raise refuse_file(path, f'has no entry "{item.name}"; it has {held}')
        try:
            array = np.asarray(given[item.name])
            wanted = numpy_dtype(item.datatype)
            if array.dtype.kind not in ("U" if wanted.kind == "U" else "biuf"):
                raise ValueError(f"{array.dtype} is not {'text' if wanted.kind == 'U' else 'numeric'}")
            array = array.astype(wanted)
        except (ValueError, TypeError) as error:
            raise refuse_file(
                path, f"{item.name} cannot be converted to {item.datatype} ({error})"
            ) from error
        shape = list(array.shape[1:])
        fits = array.ndim == len(item.dims) + 1 and all(a in (-1, b) for a, b in zip(item.dims, shape))
        if not fits:
            raise refuse_file(
                path, f"samples of {item.name} have the shape {shape}, the model expects {item.dims}"
            )
        found[item.name] = array
    counts = {name: len(array) for name, array in found.items()}
    if len(set(counts.values())) != 1 or 0 in counts.values():
        raise refuse_file(path, f"every input needs the same number of samples, at least one, not {counts}")
    return found

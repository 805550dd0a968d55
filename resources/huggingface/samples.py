"""Samples of a Hugging Face folder: token ids with their masks, images as a processor gives them, sound, spectrograms.

Samples of text are kept padded to the longest; the mask says where each ends.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toolkit.datatypes import numpy_dtype
from toolkit.samples import read_file, refuse_file

Array = npt.NDArray[Any]
Tensors = dict[str, Array]

MASK = "attention_mask"
#: Of the generated data set, which is held in memory while it is written.
_LARGEST_BYTES = 256 * 1024 * 1024


class Input(NamedTuple):
    """`shape`: of one sample that is measured, without the batch."""

    name: str
    datatype: str
    shape: list[int]

    @property
    def is_text(self) -> bool:
        """A row of tokens, which the mask covers: the decoder's are as many as the caller has so far."""
        return self.is_row and not self.is_decoder

    @property
    def is_decoder(self) -> bool:
        return self.is_row and self.name.startswith("decoder_")

    @property
    def is_row(self) -> bool:
        return self.datatype == "INT64" and len(self.shape) == 1

    @property
    def is_sound(self) -> bool:
        return self.datatype == "FP32" and len(self.shape) == 1


def parse_inputs(text: str) -> list[Input]:
    """Of `[{"name", "datatype", "shape"}]`."""
    return [Input(item["name"], item["datatype"], item["shape"]) for item in json.loads(text)]


def has_mask(inputs: list[Input]) -> bool:
    return any(item.name == MASK for item in inputs)


def sample_lengths(count: int, longest: int, seed: int) -> list[int]:
    """The longest, a short one and one of half its length first, so that few samples differ too."""
    generator = np.random.default_rng(seed)
    fixed = [longest, max(1, longest // 8), max(1, longest // 2)]
    others = generator.integers(max(1, longest // 16), longest + 1, max(0, count - len(fixed)))
    return [*fixed, *(int(length) for length in others)][:count]


def make_samples(
    inputs: list[Input],
    count: int,
    longest: int,
    padding_id: int,
    ranges: Mapping[str, tuple[int, int]],
    seed: int,
) -> Tensors:
    """[count, ...] for each input. Floats have mean 0 and deviation 1, as processors make them."""
    generator = np.random.default_rng(seed)
    shapes = {item.name: [longest] if item.is_text else item.shape for item in inputs}
    size = sum(int(np.prod(shapes[item.name])) * numpy_dtype(item.datatype).itemsize for item in inputs)
    kept = max(1, min(count, _LARGEST_BYTES // max(1, size)))
    mask = np.arange(longest) < np.array(sample_lengths(kept, longest, seed))[:, None]
    made: Tensors = {}
    for item in inputs:
        dtype, shape = numpy_dtype(item.datatype), (kept, *shapes[item.name])
        if item.name == MASK:
            made[item.name] = mask.astype(dtype)
        elif dtype.kind == "f":
            made[item.name] = generator.standard_normal(shape, dtype=np.float32).astype(dtype)
        else:
            low, high = ranges.get(item.name, (0, 2))
            values = generator.integers(low, high, shape).astype(dtype)
            if item.is_text and has_mask(inputs):
                values[~mask] = padding_id if item.name == "input_ids" else 0
            made[item.name] = values
    return made


def _mask_lengths(path: Path, mask: Array) -> None:
    """Padding comes behind the text, as the lengths of outputs are counted from its begin."""
    lengths = mask.sum(axis=1)
    if (lengths < 1).any() or not np.array_equal(mask, np.arange(mask.shape[1]) < lengths[:, None]):
        raise refuse_file(path, f"{MASK} must have ones for the tokens of each sample and zeros behind them")


def read_samples(path: Path, inputs: list[Input]) -> Tensors:
    """Checked against the inputs; without a mask every token counts. Throws input-invalid."""
    path = path / "samples.npz" if path.is_dir() else path
    given = read_file(path)
    found: Tensors = {}
    for item in inputs:
        if item.name not in given:
            if item.name == MASK and "input_ids" in found:
                found[MASK] = np.ones_like(found["input_ids"])
                continue
            held = ", ".join(given) or "nothing"
            raise refuse_file(path, f'has no entry "{item.name}"; it has {held}')
        try:
            array = np.asarray(given[item.name])
            if array.dtype.kind not in "biuf":
                raise ValueError(f"{array.dtype} is not numeric")
            found[item.name] = array.astype(numpy_dtype(item.datatype))
        except (ValueError, TypeError) as error:
            raise refuse_file(
                path, f"{item.name} cannot be converted to {item.datatype} ({error})"
            ) from error
        shape = list(found[item.name].shape[1:])
        fits = len(shape) == 1 and shape[0] > 0 if len(item.shape) == 1 else shape == item.shape
        if not fits:
            raise refuse_file(path, f"samples of {item.name} have the shape {shape}, not {item.shape}")
    counts = {name: len(array) for name, array in found.items()}
    if len(set(counts.values())) != 1 or 0 in counts.values():
        raise refuse_file(path, f"every input needs the same number of samples, at least one, not {counts}")
    widths = {item.name: found[item.name].shape[1] for item in inputs if item.is_text}
    if len(set(widths.values())) > 1:
        raise refuse_file(path, f"the rows of tokens must be equally long, not {widths}")
    if MASK in found:
        _mask_lengths(path, found[MASK])
    return found

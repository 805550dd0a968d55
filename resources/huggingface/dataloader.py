"""Batches of the samples of a Hugging Face folder; it has no labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Optional

import numpy as np

from .samples import MASK, Array, Input, Tensors, has_mask, parse_inputs, read_samples

#: Rows without a mask are equally long within a batch, and shorter by so many parts of it in the next one.
_PARTS, _SHORTER = 16, 8


def _cut(length: int, batch: int) -> int:
    """Length of such a row in a batch, by the number of the batch: all of it in the first."""
    return length - batch % _SHORTER * (length // _PARTS)


def _repeated(row: Array, length: int) -> Array:
    return np.resize(row, (length,)).astype(row.dtype)


class SampleLoader:
    """Yields (ids, x, {}); a batch is as long as its longest sample, as a caller pads it."""

    def __init__(self, samples: Tensors, inputs: list[Input], batch_size: int) -> None:
        self._samples = samples
        self._inputs = inputs
        self._batch_size = batch_size
        self._count = len(next(iter(samples.values())))

    def __len__(self) -> int:
        """Samples, not batches."""
        return self._count

    def _length(self, item: Input, rows: slice) -> int:
        array = self._samples[item.name]
        if item.is_text and has_mask(self._inputs):
            return int(self._samples[MASK][rows].sum(axis=1).max())
        return _cut(array.shape[1], rows.start // self._batch_size)

    def __call__(self) -> Iterator[tuple[list[str], Tensors, Tensors]]:
        for start in range(0, self._count, self._batch_size):
            rows = slice(start, min(start + self._batch_size, self._count))
            x = {}
            for item in self._inputs:
                array = self._samples[item.name][rows]
                is_row = item.is_row or item.is_sound
                x[item.name] = array[:, : self._length(item, rows)] if is_row else array
            yield [f"{index:06d}" for index in range(rows.start, rows.stop)], x, {}


class LoadRequests:
    """Samples of exactly the shapes that are measured, without padding: a short one is said over again."""

    def __init__(self, samples: Tensors, inputs: list[Input], batch_size: int) -> None:
        mask = samples.get(MASK)
        count = len(next(iter(samples.values())))
        lengths = None if mask is None else mask.sum(axis=1)
        self._batch_size = batch_size
        self._samples: Tensors = {}
        for item in inputs:
            array = samples[item.name]
            if item.name == MASK:
                self._samples[MASK] = np.ones((count, item.shape[0]), array.dtype)
            elif item.is_row or item.is_sound:
                ends = [array.shape[1]] * count if lengths is None or not item.is_text else lengths
                rows = [_repeated(row[:end], item.shape[0]) for row, end in zip(array, ends)]
                self._samples[item.name] = np.stack(rows)
            else:
                self._samples[item.name] = array

    def __len__(self) -> int:
        return len(next(iter(self._samples.values())))

    def __call__(self) -> Iterator[tuple[list[str], Tensors, Tensors]]:
        for start in range(0, len(self), self._batch_size):
            rows = slice(start, min(start + self._batch_size, len(self)))
            x = {name: array[rows] for name, array in self._samples.items()}
            yield [f"{index:06d}" for index in range(rows.start, rows.stop)], x, {}


class MixedRequests:
    """Samples one by one, each with its length: a short one is said over again, a long one is cut."""

    def __init__(self, samples: Tensors, inputs: list[Input], lengths: Sequence[int]) -> None:
        """`lengths`: of as many samples; empty: each sample has its own."""
        mask = samples.get(MASK)
        texts = [samples[item.name].shape[1] for item in inputs if item.is_text]
        count = len(next(iter(samples.values())))
        self._own = [max(texts, default=1)] * count if mask is None else [int(n) for n in mask.sum(axis=1)]
        self._samples = samples
        self._inputs = inputs
        self._lengths = list(lengths) or self._own

    def __len__(self) -> int:
        return len(self._lengths)

    def _row(self, item: Input, row: int, length: int) -> Array:
        array = self._samples[item.name][row]
        if item.name == MASK:
            return np.ones(length, array.dtype)
        if item.is_text:
            return _repeated(array[: self._own[row]], length)
        return _repeated(array, item.shape[0]) if item.is_row else array

    def __call__(self) -> Iterator[tuple[list[str], Tensors, Tensors]]:
        for index, length in enumerate(self._lengths):
            row = index % len(self._own)
            x = {item.name: self._row(item, row, length)[None] for item in self._inputs}
            yield [f"{index:06d}"], x, {}


def get_dataloader_fn(
    data_dir: str,
    inputs: str,
    batch_size: int = 1,
    precision: str = "fp32",
    purpose: str = "",
    lengths: Optional[Sequence[int]] = None,
) -> SampleLoader | LoadRequests | MixedRequests:
    """`inputs`: see `parse_inputs`. Precision fp16 turns float32 into float16, as the converted model takes it;
    `purpose` "load" gives what load tools send, in `lengths` where they are given: see `MixedRequests`.
    """
    parsed = parse_inputs(inputs)
    samples = read_samples(Path(data_dir), parsed)
    if precision == "fp16":
        samples = {
            name: array.astype(np.float16) if array.dtype == np.float32 else array
            for name, array in samples.items()
        }
    if purpose == "load" and lengths is not None:
        return MixedRequests(samples, parsed, lengths)
    return (LoadRequests if purpose == "load" else SampleLoader)(samples, parsed, batch_size)

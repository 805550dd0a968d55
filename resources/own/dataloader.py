"""Batches of the samples of a model that is a file; it has no labels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .samples import Tensors, parse_inputs, read_samples


class SampleLoader:
    """Yields (ids, x, {})."""

    def __init__(self, samples: Tensors, batch_size: int) -> None:
        self._samples = samples
        self._batch_size = batch_size
        self._count = len(next(iter(samples.values())))

    def __len__(self) -> int:
        """Samples, not batches."""
        return self._count

    def __call__(self) -> Iterator[tuple[list[str], Tensors, Tensors]]:
        for start in range(0, self._count, self._batch_size):
            stop = min(start + self._batch_size, self._count)
            x = {name: array[start:stop] for name, array in self._samples.items()}
            yield [f"{index:06d}" for index in range(start, stop)], x, {}


def get_dataloader_fn(
    data_dir: str, inputs: str, batch_size: int = 1, precision: str = "fp32"
) -> SampleLoader:
    """`inputs`: see `parse_inputs`. Precision fp16 turns float32 into float16, as the converted model takes it."""
    samples = read_samples(Path(data_dir), parse_inputs(inputs))
    if precision == "fp16":
        samples = {
            name: array.astype(np.float16) if array.dtype == np.float32 else array
            for name, array in samples.items()
        }
    return SampleLoader(samples, batch_size)

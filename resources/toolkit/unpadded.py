"""Samples without the padding of their batch: what a user of the framework computes them by, one by one.

A model whose answer for a sample depends on what follows its end in a request gives other values on Triton, and the
comparison finds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from .batches import Array, Batch
from .errors import ToolkitError


def _counts(batch: Batch, name: str) -> Array:
    """How much of each sample counts. Throws input-invalid for a mask that is not of ones followed by zeros."""
    mask = batch.x[name].astype(np.int64)
    counts: Array = mask.sum(axis=1)
    if (counts < 1).any() or not np.array_equal(mask, np.arange(mask.shape[1]) < counts[:, None]):
        raise ToolkitError(
            "input-invalid",
            f"{name} must have ones for what counts of each sample and zeros behind it",
            where="dataloader.py",
            remedy="Pad the samples at their end.",
        )
    return counts


def unpadded(batch: Batch, masks: Mapping[str, Sequence[str]]) -> Iterator[Batch]:
    """The batch in parts, each of following samples that are equally long, cut to their length.

    `masks`: by input, the tensors whose first axis behind the batch it covers.
    """
    if not masks:
        yield batch
        return
    counts = np.stack([_counts(batch, name) for name in masks], axis=1)
    start = 0
    for stop in range(1, len(batch.ids) + 1):
        if stop < len(batch.ids) and np.array_equal(counts[stop], counts[start]):
            continue
        x = {name: array[start:stop] for name, array in batch.x.items()}
        for covered, count in zip(masks.values(), counts[start]):
            x.update({name: x[name][:, : int(count)] for name in covered if name in x})
        yield Batch(batch.ids[start:stop], x, {name: array[start:stop] for name, array in batch.y.items()})
        start = stop

"""The images that accuracy is computed on, in batches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Tensors = dict[str, npt.NDArray[Any]]


class Loader:
    """Iterates over the data set; a run does so more than once."""

    def __init__(self, images: npt.NDArray[Any], labels: npt.NDArray[Any], batch_size: int) -> None:
        self._images = images
        self._labels = labels
        self._batch_size = batch_size

    def __len__(self) -> int:
        return len(self._images)

    def __call__(self) -> Iterator[tuple[list[str], Tensors, Tensors]]:
        """Yields, per batch, an ID for each image, the inputs by name, and the true classes by output name."""
        for start in range(0, len(self._images), self._batch_size):
            part = slice(start, start + self._batch_size)
            ids = [str(index) for index in range(len(self._images))[part]]
            yield ids, {"images": self._images[part]}, {"scores": self._labels[part]}


def get_dataloader_fn(data_dir: str, batch_size: int = 1, precision: str = "fp32") -> Loader:
    """`data_dir`: what make_dataset.py wrote, or --dataset."""
    data = np.load(Path(data_dir) / "val.npz")
    dtype = np.float16 if precision == "fp16" else np.float32
    return Loader(data["images"].astype(dtype), data["labels"], batch_size)

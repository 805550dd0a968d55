"""Batches of the validation images."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .images import list_samples, normalise, read_image

Tensors = dict[str, npt.NDArray[Any]]


class ImageLoader:
    """Yields (ids, x, y) with x INPUT__0 [batch, 3, size, size] and y OUTPUT__0 [batch], the class indices."""

    def __init__(
        self, data_dir: Path, batch_size: int, image_size: int, precision: str, classes: int
    ) -> None:
        self._samples = list_samples(data_dir, "val", classes)
        self._batch_size = batch_size
        self._image_size = image_size
        self._dtype = np.float16 if precision == "fp16" else np.float32

    def __len__(self) -> int:
        """Samples, not batches."""
        return len(self._samples)

    def __call__(self) -> Iterator[tuple[list[str], Tensors, Tensors]]:
        for start in range(0, len(self._samples), self._batch_size):
            part = self._samples[start : start + self._batch_size]
            images = np.stack([read_image(sample.path, self._image_size) for sample in part])
            x = normalise(images).astype(self._dtype, copy=False)
            labels = np.array([sample.label for sample in part], dtype=np.int64)
            yield [sample.id for sample in part], {"INPUT__0": x}, {"OUTPUT__0": labels}


def get_dataloader_fn(
    data_dir: str, batch_size: int = 1, image_size: int = 224, precision: str = "fp32", classes: int = 1000
) -> ImageLoader:
    """The last batch may be smaller; none is left out."""
    return ImageLoader(Path(data_dir), batch_size, image_size, precision, classes)

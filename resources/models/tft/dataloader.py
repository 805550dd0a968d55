"""Batches of the test split."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .layout import EXAMPLE_LENGTH, layout_of
from .series import Tensors, cut_windows, read_series, tensors_of


class WindowLoader:
    """Yields (ids, x, y): x the eight tensors; y the forecast's scaled target [batch, 24] and the series' number."""

    def __init__(
        self, data_dir: Path, batch_size: int, precision: str, data_set: str, window_stride: int
    ) -> None:
        if window_stride < 1:
            raise ValueError(f"window_stride must be at least 1, not {window_stride}")
        self._windows = cut_windows(read_series(data_dir, "test", layout_of(data_set)), window_stride)
        if not self._windows:
            raise ValueError(f"{data_dir}: no series of the split test has {EXAMPLE_LENGTH} hours")
        self._batch_size = batch_size
        self._dtype = np.float16 if precision == "fp16" else np.float32

    def __len__(self) -> int:
        """Samples, not batches."""
        return len(self._windows)

    def __call__(self) -> Iterator[tuple[list[str], Tensors, Tensors]]:
        for start in range(0, len(self._windows), self._batch_size):
            part = self._windows[start : start + self._batch_size]
            x, y = tensors_of(part, self._dtype)
            yield [window.id for window in part], x, y


def get_dataloader_fn(
    data_dir: str,
    batch_size: int = 64,
    precision: str = "fp32",
    data_set: str = "electricity",
    window_stride: int = 1,
) -> WindowLoader:
    """Samples begin every `window_stride` hours. The last batch may be smaller; none is left out."""
    return WindowLoader(Path(data_dir), batch_size, precision, data_set, window_stride)

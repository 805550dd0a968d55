"""Batches of the validation files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .features import NUMERIC, OUTPUT
from .parquet import parquet_files, read_batches, row_count

Tensors = dict[str, npt.NDArray[Any]]


class ClickLoader:
    """Yields (display ids, x, y): the 29 inputs by name, and the clicks [batch, 1]."""

    def __init__(self, files: list[Path], batch_size: int, precision: str) -> None:
        self._files = files
        self._batch_size = batch_size
        self._numeric = np.float16 if precision == "fp16" else np.float32

    def __len__(self) -> int:
        """Samples, not batches."""
        return int(row_count(self._files))

    def __call__(self) -> Iterator[tuple[list[str], Tensors, Tensors]]:
        for ids, x, clicks in read_batches(self._files, self._batch_size):
            x.update({name: x[name].astype(self._numeric, copy=False) for name in NUMERIC})
            yield ids, x, {OUTPUT: clicks}


def get_dataloader_fn(
    data_dir: str, data_pattern: str = "valid/*.parquet", batch_size: int = 1, precision: str = "fp32"
) -> ClickLoader:
    """The last batch of a file may be smaller; no row is left out."""
    return ClickLoader(parquet_files(Path(data_dir), data_pattern), batch_size, precision)

"""Batches of rows; they have no labels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .samples import parse_inputs, read_rows

Tensors = dict[str, npt.NDArray[Any]]


class RowLoader:
    """Yields (ids, x, {})."""

    def __init__(self, name: str, rows: npt.NDArray[np.float32], batch_size: int) -> None:
        self._name = name
        self._rows = rows
        self._batch_size = batch_size

    def __len__(self) -> int:
        """Samples, not batches."""
        return len(self._rows)

    def __call__(self) -> Iterator[tuple[list[str], Tensors, Tensors]]:
        for start in range(0, len(self), self._batch_size):
            rows = self._rows[start : start + self._batch_size]
            yield [f"{index:06d}" for index in range(start, start + len(rows))], {self._name: rows}, {}


def get_dataloader_fn(data_dir: str, inputs: str, columns: str = "[]", batch_size: int = 1) -> RowLoader:
    """`inputs`: see `parse_inputs`; `columns`: their names, by which a data set may have them."""
    (item,) = parse_inputs(inputs)
    return RowLoader(item.name, read_rows(Path(data_dir), item, json.loads(columns)), batch_size)

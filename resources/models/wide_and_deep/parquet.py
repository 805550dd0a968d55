"""The published layout: parquet files with a column for each feature, the display's id and the click."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .features import DISPLAY_ID, HOTNESS, LABEL, MULTI_HOT, NUMERIC, ONE_HOT, PADDING

Array = npt.NDArray[Any]
Tensors = dict[str, Array]
COLUMNS = (*ONE_HOT, *MULTI_HOT, *NUMERIC, DISPLAY_ID, LABEL)


def parquet_files(root: Path, pattern: str) -> list[Path]:
    """In the order of their names. Files at the root itself are taken where none match.

    Raises ValueError when there is none.
    """
    files = sorted(root.glob(pattern)) or sorted(root.glob("*.parquet"))
    if not files:
        raise ValueError(f"{root} has no file {pattern}")
    return files


def padded(lists: Any) -> npt.NDArray[np.int32]:
    """A column of lists as [rows, HOTNESS]: what is too long is cut, what is short or null is padded."""
    offsets = np.asarray(lists.offsets)
    values = np.asarray(lists.values.fill_null(PADDING)).astype(np.int32)
    starts, lengths = offsets[:-1], np.diff(offsets)
    if lists.null_count > 0:
        lengths = np.where(np.asarray(lists.is_null()), 0, lengths)
    joined = np.full((len(lists), HOTNESS), PADDING, dtype=np.int32)
    for place in range(HOTNESS):
        has = lengths > place
        joined[has, place] = values[starts[has] + place]
    return joined


def _check(path: Path, present: list[str]) -> None:
    absent = [name for name in COLUMNS if name not in present]
    if absent:
        raise ValueError(f"{path} has no column {', '.join(absent)}")


def row_count(files: list[Path]) -> int:
    """From the files' own headers."""
    from pyarrow import parquet

    return sum(int(parquet.read_metadata(path).num_rows) for path in files)


def read_batches(files: list[Path], rows: int) -> Iterator[tuple[list[str], Tensors, Array]]:
    """(display ids, inputs, clicks [n, 1]) of at most `rows`; a batch ends with its file.

    Raises ValueError naming the file and the columns that it lacks.
    """
    import pyarrow as pa
    from pyarrow import parquet

    for path in files:
        with parquet.ParquetFile(path) as file:
            _check(path, file.schema_arrow.names)
            for batch in file.iter_batches(batch_size=rows, columns=list(COLUMNS)):
                column = dict(zip(batch.schema.names, batch.columns))
                x: Tensors = {
                    name: np.asarray(column[name].fill_null(0)).astype(np.int32)[:, None] for name in ONE_HOT
                }
                x.update({name: padded(column[name].cast(pa.list_(pa.int64()))) for name in MULTI_HOT})
                x.update(
                    {
                        name: np.asarray(column[name].fill_null(0)).astype(np.float32)[:, None]
                        for name in NUMERIC
                    }
                )
                clicks = np.asarray(column[LABEL]).astype(np.float32)[:, None]
                yield [str(value) for value in column[DISPLAY_ID].to_pylist()], x, clicks


def read_split(root: Path, pattern: str) -> tuple[list[str], Tensors, Array]:
    """All of it in memory."""
    parts = list(read_batches(parquet_files(root, pattern), 65_536))
    ids = [value for part, _, _ in parts for value in part]
    x = {name: np.concatenate([tensors[name] for _, tensors, _ in parts]) for name in parts[0][1]}
    return ids, x, np.concatenate([clicks for _, _, clicks in parts])

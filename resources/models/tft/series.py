"""Series read from the CSV files, and the samples that are cut from them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .layout import ENCODER_LENGTH, EXAMPLE_LENGTH, ID_COLUMN, TIME_COLUMN, Layout

Array = npt.NDArray[Any]
Tensors = dict[str, Array]


class Series(NamedTuple):
    """One series in the order of time: static categories and known values [hours, columns], target [hours]."""

    id: int
    static: npt.NDArray[np.int64]
    known: npt.NDArray[np.float32]
    target: npt.NDArray[np.float32]


class Window(NamedTuple):
    """A sample: hours `start` to `start + EXAMPLE_LENGTH` of a series."""

    series: Series
    start: int

    @property
    def id(self) -> str:
        return f"{self.series.id}/{self.start}"


def _columns(path: Path, names: Sequence[str]) -> dict[str, npt.NDArray[np.float64]]:
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        header = next(reader, [])
        missing = [name for name in names if name not in header]
        if missing:
            raise ValueError(
                f"{path} lacks the columns {', '.join(missing)}; it has {', '.join(filter(None, header))}"
            )
        places = [header.index(name) for name in names]
        try:
            rows = [[float(row[place]) for place in places] for row in reader if row]
        except (ValueError, IndexError) as error:
            raise ValueError(f"{path}, line {reader.line_num}: {error}") from error
    table = np.array(rows, dtype=np.float64).reshape(-1, len(names))
    bad = ~np.isfinite(table).all(axis=1)
    if bad.any():
        raise ValueError(f"{path}: row {int(bad.argmax()) + 1} holds a value that is not a number")
    return {name: table[:, index] for index, name in enumerate(names)}


def read_series(root: Path, split: str, layout: Layout) -> list[Series]:
    """All series of `<split>.csv` by their number. Raises ValueError when the file is missing or no such table."""
    path = root / f"{split}.csv"
    if not path.is_file():
        raise ValueError(f"{root} has no {path.name}; the preprocessed train.csv and test.csv are required")
    names = list(
        dict.fromkeys((ID_COLUMN, TIME_COLUMN, layout.target, *layout.static_categories, *layout.known))
    )
    columns = _columns(path, names)
    order = np.lexsort((columns[TIME_COLUMN], columns[ID_COLUMN]))
    columns = {name: values[order] for name, values in columns.items()}
    ids, starts = np.unique(columns[ID_COLUMN], return_index=True)
    static = np.stack([columns[name] for name in layout.static_categories], axis=1).astype(np.int64)
    known = np.stack([columns[name] for name in layout.known], axis=1).astype(np.float32)
    target = columns[layout.target].astype(np.float32)
    ends = [*starts[1:], len(target)]
    return [
        Series(int(number), static[start:end], known[start:end], target[start:end])
        for number, start, end in zip(ids, starts, ends)
    ]


def cut_windows(series: Sequence[Series], stride: int) -> list[Window]:
    """Every `stride` hours one, the last whole one too. A series shorter than a sample gives none."""
    return [
        Window(one, start)
        for one in series
        for start in range(0, len(one.target) - EXAMPLE_LENGTH + 1, stride)
    ]


def tensors_of(windows: Sequence[Window], dtype: npt.DTypeLike) -> tuple[Tensors, Tensors]:
    """(x, y). What a data set has not is a tensor of ones [batch, 1].

    The target's hours of the forecast are zero in `x`: a caller of the served model cannot know them.
    """
    parts = [(one, slice(start, start + EXAMPLE_LENGTH)) for one, start in windows]
    target = np.stack([one.target[part] for one, part in parts])
    past = target[:, :, None].copy()
    past[:, ENCODER_LENGTH:] = 0
    absent = np.ones((len(windows), 1))
    ids = np.array([one.id for one, _ in windows], dtype=np.int64)
    x = {
        "s_cat__0": np.stack([one.static[part] for one, part in parts]),
        "s_cont__1": absent.astype(dtype),
        "k_cat__2": absent.astype(np.int64),
        "k_cont__3": np.stack([one.known[part] for one, part in parts]).astype(dtype),
        "o_cat__4": absent.astype(np.int64),
        "o_cont__5": absent.astype(dtype),
        "target__6": past.astype(dtype),
        "id__7": np.repeat(ids[:, None, None], EXAMPLE_LENGTH, axis=1),
    }
    return x, {"target__0": target[:, ENCODER_LENGTH:], "id__7": ids}

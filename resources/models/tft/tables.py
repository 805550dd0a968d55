"""Tables of series as the published preprocessing writes them: scaled CSV files, one a split, and the scalers."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from .layout import ID_COLUMN, Layout, Range
from .scalers import ALL, Scale, write_scalers

Values = npt.NDArray[np.float64]
Progress = Optional[Callable[[float, str], None]]

#: Columns of whole numbers; all others have seven significant digits.
_WHOLE = {ID_COLUMN, "categorical_id", "days_from_start", "sensor_day"}
_ROWS_AT_ONCE = 50_000


class Table(NamedTuple):
    """Rows of all series, series by series; `day` [rows] tells the split."""

    columns: dict[str, Values]
    day: Values


def _scale(values: Values) -> Scale:
    std = float(values.std())
    return Scale(float(values.mean()), std if std > 0 else 1.0)


def _scaled(table: Table, layout: Layout) -> dict[str, Scale]:
    """Scales known columns and target by what the training days hold, in place; gives the target's scales."""
    training = (table.day >= layout.train.first) & (table.day < layout.train.end)
    groups = [(ALL, slice(0, len(table.day)))]
    if layout.scaled_per_series:
        ids, starts = np.unique(table.columns[ID_COLUMN], return_index=True)
        ends = [*starts[1:], len(table.day)]
        groups = [(str(int(n)), slice(start, end)) for n, start, end in zip(ids, starts, ends)]
    found: dict[str, Scale] = {}
    for name, rows in groups:
        for column in (*layout.known, layout.target):
            values = table.columns[column]
            scale = _scale(values[rows][training[rows]])
            values[rows] = (values[rows] - scale.mean) / scale.std
            if column == layout.target:
                found[name] = scale
    return found


def _write(path: Path, table: Table, days: Range) -> None:
    """As pandas writes a table: a nameless column of row numbers, then the columns by name."""
    chosen = np.flatnonzero((table.day >= days.first) & (table.day < days.end))
    names = sorted(table.columns)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(",".join(["", *names]) + "\n")
        for start in range(0, len(chosen), _ROWS_AT_ONCE):
            rows = chosen[start : start + _ROWS_AT_ONCE]
            parts = [
                [f"{value:.0f}" if name in _WHOLE else f"{value:.7g}" for value in table.columns[name][rows]]
                for name in names
            ]
            file.writelines(",".join(row) + "\n" for row in zip((str(row) for row in rows), *parts))


def write_tables(root: Path, table: Table, layout: Layout, progress: Progress) -> None:
    """Writes train.csv, valid.csv, test.csv and the scalers; scales the table in place."""
    write_scalers(root, _scaled(table, layout))
    splits = {"train": layout.train, "valid": layout.valid, "test": layout.test}
    for index, (split, days) in enumerate(splits.items()):
        _write(root / f"{split}.csv", table, days)
        if progress is not None:
            progress((index + 1) / len(splits), f"{split}.csv")

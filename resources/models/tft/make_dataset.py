"""Drawn series in the form that the published preprocessing writes: scaled CSV files and the target's scalers.

Each series has its own level, its own day of two peaks, weekends, a slow swing and noise that lasts some hours, so
that a forecast has something to learn and something that nobody can know.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from .layout import EXAMPLE_LENGTH, ID_COLUMN, TIME_COLUMN, Layout, Range, layout_of
from .scalers import ALL, Scale, write_scalers

Values = npt.NDArray[np.float64]

#: Day of the week (Monday = 0) of day 0: Saturday, 1 January 2011; Wednesday, 2 January 2008 (holidays are left out).
_FIRST_WEEKDAY = {"electricity": 5, "traffic": 2}


class _Table(NamedTuple):
    """Rows of all series, series by series; `day` [rows] tells the split."""

    columns: dict[str, Values]
    day: Values


def _bump(hour: Values, at: float, width: float) -> Values:
    """1 at the hour `at`, falling off on both sides, over midnight too."""
    away = np.minimum(np.abs(hour - at), 24 - np.abs(hour - at))
    bump: Values = np.exp(-0.5 * (away / width) ** 2)
    return bump


def _noise(count: int, rng: np.random.Generator) -> Values:
    """Deviation 1; a value holds 0.7 of the one before it."""
    fresh = rng.standard_normal(count)
    values = np.empty(count)
    last = 0.0
    for index in range(count):
        last = 0.7 * last + 0.714 * fresh[index]
        values[index] = last
    return values


def _target(data_set: str, hour: Values, weekday: Values, day: Values, rng: np.random.Generator) -> Values:
    """One series: load in kW as a household's or a shop's, or the share of a lane's time that is occupied."""
    morning, evening = rng.uniform(7, 10), rng.uniform(16, 20)
    weekend = np.where(weekday >= 5, rng.uniform(0.4, 0.8), 1.0)
    heights = rng.uniform(0.5, 1.0, 2)
    shape = heights[0] * _bump(hour, morning, 2.0) + heights[1] * _bump(hour, evening, 2.5)
    swing = 1 + 0.1 * np.sin(2 * np.pi * (day / 91.0 + rng.uniform()))
    noise = 1 + 0.06 * _noise(len(hour), rng)
    load: Values = (rng.uniform(0.3, 0.6) + shape * weekend) * swing * noise
    values: Values
    if data_set == "traffic":
        values = np.clip(0.06 * rng.uniform(0.6, 1.4) * load, 0, 1)
    else:
        values = np.maximum(0, float(np.exp(rng.uniform(3, 7))) * load)
    return values


def _table(data_set: str, layout: Layout, series: int, days: Range, rng: np.random.Generator) -> _Table:
    hours = np.arange(days.first * 24, days.end * 24, dtype=np.float64)
    day, hour = np.floor(hours / 24), hours % 24
    weekday = (day + _FIRST_WEEKDAY[data_set]) % 7
    numbers = np.repeat(np.arange(series, dtype=np.float64), len(hours))
    targets = [_target(data_set, hour, weekday, day, rng) for _ in range(series)]
    # PEMS-SF counts the days of the week from 1.
    shown = weekday if data_set == "electricity" else weekday + 1
    columns = {
        ID_COLUMN: numbers,
        "categorical_id": numbers,
        TIME_COLUMN: np.tile(hours, series),
        layout.known[0]: np.tile(hour, series),
        "day_of_week": np.tile(shown, series),
        layout.target: np.concatenate(targets),
        layout.day: np.tile(day, series),
    }
    return _Table(columns, columns[layout.day].copy())


def _scale(values: Values) -> Scale:
    std = float(values.std())
    return Scale(float(values.mean()), std if std > 0 else 1.0)


def _scaled(table: _Table, layout: Layout) -> dict[str, Scale]:
    """Scales known columns and target by what the training days hold, in place; gives the target's scales."""
    training = (table.day >= layout.train.first) & (table.day < layout.train.end)
    numbers = table.columns[ID_COLUMN]
    groups = [(str(int(n)), numbers == n) for n in np.unique(numbers)] if layout.scaled_per_series else []
    found: dict[str, Scale] = {}
    for name, rows in groups or [(ALL, np.ones(len(numbers), dtype=np.bool_))]:
        for column in (*layout.known, layout.target):
            values = table.columns[column]
            scale = _scale(values[rows & training])
            values[rows] = (values[rows] - scale.mean) / scale.std
            if column == layout.target:
                found[name] = scale
    return found


def _write(path: Path, table: _Table, days: Range) -> None:
    """As pandas writes a table: a nameless column of row numbers, then the columns by name."""
    chosen = np.flatnonzero((table.day >= days.first) & (table.day < days.end))
    names = sorted(table.columns)
    whole = {ID_COLUMN, "categorical_id", "days_from_start", "sensor_day"}
    parts = [
        [f"{value:.0f}" if name in whole else f"{value:.7g}" for value in table.columns[name][chosen]]
        for name in names
    ]
    lines = [",".join(row) for row in zip((str(row) for row in chosen), *parts)]
    path.write_text("\n".join([",".join(["", *names]), *lines]) + "\n", encoding="utf-8")


def make_dataset(
    output: str,
    data_set: str = "electricity",
    dataset_series: int = 8,
    train_days: int = 0,
    window_stride: int = 1,
    seed: int = 0,
    progress: Optional[Callable[[float, str], None]] = None,
) -> dict[str, Any]:
    """Writes train.csv, valid.csv, test.csv and the scalers, with the published day ranges of the three splits.

    `train_days`: only the last so many days before the end of the training range; 0 = all of it. Raises ValueError
    for fewer days than a sample has.
    """
    layout = layout_of(data_set)
    span = layout.train.end - layout.train.first
    if not EXAMPLE_LENGTH // 24 <= (train_days or span) <= span:
        raise ValueError(f"train_days must be {EXAMPLE_LENGTH // 24} to {span}, or 0, not {train_days}")
    first = layout.train.end - (train_days or span)
    table = _table(
        data_set, layout, dataset_series, Range(first, layout.test.end), np.random.default_rng(seed)
    )
    root = Path(output)
    write_scalers(root, _scaled(table, layout))
    splits = {"train": layout.train, "valid": layout.valid, "test": layout.test}
    for index, (split, days) in enumerate(splits.items()):
        _write(root / f"{split}.csv", table, days)
        if progress is not None:
            progress((index + 1) / len(splits), f"{split}.csv")
    hours = (layout.test.end - layout.test.first) * 24
    samples = dataset_series * len(range(0, hours - EXAMPLE_LENGTH + 1, window_stride))
    return {"samples": samples, "series": dataset_series}

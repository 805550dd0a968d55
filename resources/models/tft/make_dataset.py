"""Drawn series in the form that the published preprocessing writes: scaled CSV files and the target's scalers.

Each series has its own level, its own day of two peaks, weekends, a slow swing and noise that lasts some hours, so
that a forecast has something to learn and something that nobody can know.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np

from .layout import EXAMPLE_LENGTH, ID_COLUMN, TIME_COLUMN, Layout, Range, layout_of
from .tables import Table, Values, write_tables

#: Day of the week (Monday = 0) of day 0: Saturday, 1 January 2011; Wednesday, 2 January 2008 (holidays are left out).
_FIRST_WEEKDAY = {"electricity": 5, "traffic": 2}


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


def _table(data_set: str, layout: Layout, series: int, days: Range, rng: np.random.Generator) -> Table:
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
    return Table(columns, columns[layout.day].copy())


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
    write_tables(Path(output), table, layout, progress)
    hours = (layout.test.end - layout.test.first) * 24
    samples = dataset_series * len(range(0, hours - EXAMPLE_LENGTH + 1, window_stride))
    return {"samples": samples, "series": dataset_series}

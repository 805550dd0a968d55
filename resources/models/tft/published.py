"""The two data sets as the UCI Machine Learning Repository has them, hour by hour.

What is done to them is what the publication of the model does (arXiv:1912.09363, its appendix and published script):
means of each hour; electricity from a meter's first hour with a load to its last; traffic in calendar order, without
the very first hour.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .layout import ID_COLUMN, TIME_COLUMN, Layout
from .tables import Progress, Table, Values

_HOUR = timedelta(hours=1)
#: Samples of a day of PEMS-SF, every ten minutes.
_SAMPLES = 144


class _Hours(NamedTuple):
    """`values` [hours, series], from the hour `start` on."""

    start: datetime
    values: Values


def _numbers(text: str, separator: str, wanted: int, where: str) -> Values:
    values: Values = np.empty(0)
    # What is no number: a warning of older versions of numpy, an error of newer ones.
    with warnings.catch_warnings(), suppress(ValueError):
        warnings.simplefilter("ignore", DeprecationWarning)
        values = np.fromstring(text, dtype=np.float64, sep=separator)
    if len(values) != wanted or not np.isfinite(values).all():
        raise ValueError(f"{where}: expected {wanted} numbers")
    return values


def _file(root: Path, name: str) -> Path:
    path = root / name
    if not path.is_file():
        raise ValueError(f"{root} has no file {name}")
    return path


def _electricity_hours(path: Path, progress: Progress) -> _Hours:
    """`"2011-01-01 00:15:00";1,25;0` a line, every quarter of an hour in order, decimal commas."""
    size, read = path.stat().st_size, 0
    means: list[Values] = []
    with path.open(encoding="utf-8") as file:
        columns = len(next(file, "").rstrip("\n").split(";")) - 1
        if columns < 1:
            raise ValueError(f"{path.name} has no columns of meters")
        start = current = None
        sums, count = np.zeros(columns), 0
        for number, line in enumerate(file, start=2):
            where = f"{path.name}, line {number}"
            read += len(line)
            stamp, _, rest = line.rstrip("\n").partition(";")
            try:
                time = datetime.fromisoformat(stamp.strip('"'))
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from error
            hour = time.replace(minute=0, second=0, microsecond=0)
            if start is None or current is None:
                start = current = hour
            if hour < current:
                raise ValueError(f"{where}: the lines are not in the order of time")
            while current < hour:
                means.append(sums / max(1, count))
                sums, count, current = np.zeros(columns), 0, current + _HOUR
            sums += _numbers(rest.replace(",", "."), ";", columns, where)
            count += 1
            if progress is not None and number % 5000 == 0:
                progress(0.7 * read / size, f"Reading {path.name}")
    if start is None:
        raise ValueError(f"{path.name} has no line of loads")
    means.append(sums / max(1, count))
    return _Hours(start, np.stack(means))


def electricity_table(root: Path, layout: Layout, progress: Progress) -> Table:
    """LD2011_2014.txt -> the days of the three splits. Meters without a load in the training days are left out."""
    start, values = _electricity_hours(_file(root, "LD2011_2014.txt"), progress)
    hours = np.arange(len(values))
    days = hours // 24
    within = (days >= layout.train.first) & (days < layout.test.end)
    clock = (start.hour + hours) % 24
    weekday = (start.weekday() + (start.hour + hours) // 24) % 7
    parts: list[tuple[npt.NDArray[np.int64], Values]] = []
    for series in values.T:
        loaded = np.flatnonzero(series)
        if len(loaded) == 0:
            continue
        chosen = np.flatnonzero(within & (hours >= loaded[0]) & (hours <= loaded[-1]))
        if len(chosen) and days[chosen[0]] < layout.train.end and days[chosen[-1]] >= layout.train.first:
            parts.append((chosen, series[chosen]))
    if not parts:
        raise ValueError(f"LD2011_2014.txt has no load from day {layout.train.first} on")
    rows = np.concatenate([chosen for chosen, _ in parts])
    numbers = np.repeat(np.arange(len(parts), dtype=np.float64), [len(chosen) for chosen, _ in parts])
    columns = {
        ID_COLUMN: numbers,
        "categorical_id": numbers.copy(),
        TIME_COLUMN: rows.astype(np.float64),
        layout.known[0]: clock[rows].astype(np.float64),
        "day_of_week": weekday[rows].astype(np.float64),
        layout.target: np.concatenate([part for _, part in parts]),
        layout.day: days[rows].astype(np.float64),
    }
    return Table(columns, columns[layout.day].copy())


def _whole_numbers(path: Path) -> npt.NDArray[np.int64]:
    """`[1 2 3]`."""
    text = path.read_text(encoding="utf-8").strip().strip("[]")
    try:
        return np.array([int(word) for word in text.split()], dtype=np.int64)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error


def _matrices(path: Path, stations: int) -> Iterator[Values]:
    """`[a b;c d]` a line: a row each station, a column each ten minutes -> means of the hours [stations, 24]."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            text = line.strip().strip("[]").replace(";", " ")
            values = _numbers(text, " ", stations * _SAMPLES, f"{path.name}, line {number}")
            yield values.reshape(stations, 24, _SAMPLES // 24).mean(axis=2)


def traffic_table(root: Path, layout: Layout, progress: Progress) -> Table:
    """PEMS_train, PEMS_test and their lists -> the days of the three splits, lanes by their numbers."""
    stations = _whole_numbers(_file(root, "stations_list"))
    # Row r of both files together is day order[r], counted from 1.
    order = _whole_numbers(_file(root, "randperm")) - 1
    labels = [_whole_numbers(_file(root, f"PEMS_{part}labels")) for part in ("train", "test")]
    if sorted(order) != list(range(len(order))) or sum(len(part) for part in labels) != len(order):
        raise ValueError("randperm and the lists of labels of PEMS-SF do not fit together")
    count = min(len(order), layout.test.end)
    days = np.zeros((count, len(stations), 24))
    weekday = np.zeros(len(order))
    weekday[order] = np.concatenate(labels)
    row = 0
    for part in ("train", "test"):
        for matrix in _matrices(_file(root, f"PEMS_{part}"), len(stations)):
            if row == len(order):
                raise ValueError(f"PEMS_{part} has more days than randperm")
            if order[row] < count:
                days[order[row]] = matrix
            row += 1
            if progress is not None:
                progress(0.7 * row / len(order), f"Reading PEMS_{part}")
    if row != len(order):
        raise ValueError(f"PEMS-SF has {row} days, randperm {len(order)}")
    by_number = np.argsort(stations, kind="stable")
    hours = np.arange(1, count * 24)
    numbers = np.repeat(np.arange(len(stations), dtype=np.float64), len(hours))
    values = days.transpose(1, 0, 2).reshape(len(stations), -1)[by_number][:, hours]
    columns = {
        ID_COLUMN: numbers,
        "categorical_id": numbers.copy(),
        TIME_COLUMN: np.tile(hours.astype(np.float64), len(stations)),
        layout.known[0]: np.tile((hours % 24).astype(np.float64), len(stations)),
        "day_of_week": np.tile(weekday[hours // 24], len(stations)),
        layout.target: values.reshape(-1),
        layout.day: np.tile((hours // 24).astype(np.float64), len(stations)),
    }
    return Table(columns, columns[layout.day].copy())

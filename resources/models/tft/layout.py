"""The two data sets of the published deployment: columns, splits and windows.

Columns, ranges and lengths are those of the configurations that were published with the deployment; the CSV files
are what its preprocessing writes: train.csv, valid.csv and test.csv with one row an hour and series, real columns
and target scaled, the first column a row number without a name.
"""

from __future__ import annotations

from typing import NamedTuple

#: Hours of a sample and of its part before the forecast.
EXAMPLE_LENGTH = 8 * 24
ENCODER_LENGTH = 7 * 24

QUANTILES = (0.1, 0.5, 0.9)

#: Column of the series' number, and of the time by which its rows are ordered.
ID_COLUMN = "id"
TIME_COLUMN = "hours_from_start"


class Range(NamedTuple):
    """Days, the end not among them."""

    first: int
    end: int


class Layout(NamedTuple):
    """Columns by the part that they play. None of the two data sets has a static or observed real column."""

    target: str
    day: str
    known: tuple[str, ...]
    static_categories: tuple[str, ...]
    #: Series of the whole data set, and the dropout that its model was trained with.
    series: int
    dropout: float
    #: Each series has a scale of its own, else one for all.
    scaled_per_series: bool
    train: Range
    valid: Range
    test: Range


LAYOUTS = {
    "electricity": Layout(
        target="power_usage",
        day="days_from_start",
        known=("hour", "day_of_week", "hours_from_start"),
        static_categories=("categorical_id",),
        series=369,
        dropout=0.1,
        scaled_per_series=True,
        train=Range(1096, 1315),
        valid=Range(1308, 1339),
        test=Range(1332, 1346),
    ),
    # The source has 173 days; the published range of the test split has no end.
    "traffic": Layout(
        target="values",
        day="sensor_day",
        known=("time_on_day", "day_of_week", "hours_from_start"),
        static_categories=("categorical_id",),
        series=963,
        dropout=0.3,
        scaled_per_series=False,
        train=Range(0, 151),
        valid=Range(144, 166),
        test=Range(159, 173),
    ),
}


def layout_of(data_set: str) -> Layout:
    """Throws ValueError for a name that is none of the two."""
    if data_set not in LAYOUTS:
        raise ValueError(f'data_set must be {" or ".join(LAYOUTS)}, not "{data_set}"')
    return LAYOUTS[data_set]

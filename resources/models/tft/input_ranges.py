"""Series of generated requests: every row of the table."""

from __future__ import annotations

from .layout import layout_of


def input_ranges(data_set: str = "electricity", series: int = 0) -> dict[str, tuple[int, int]]:
    """Lowest value and first above it, by input."""
    rows = series or layout_of(data_set).series
    return {"s_cat__0": (0, rows), "id__7": (0, rows)}
